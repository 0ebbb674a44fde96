/** Dry runs: what a request would do, without doing it. */
import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import type { Request } from 'express';
import { ChainUnavailableError } from '#chain';
import { ChainUnavailable, DomainError, InvalidRequest } from './domain.errors';
import { formatUsdc } from '../money/usdc';

/** Errors of the request itself, which a dry run answers as the real one does. */
const REQUEST_ERRORS = [400, 401, 403, 404];

/** The answer to a dry run of something that spends. */
export interface DryRunView {
  dry_run: true;
  /** Whether the request would be executed, or wait for an approval. */
  allowed: boolean;
  requires_approval: boolean;
  amount_usdc: string;
  decline?: DeclineView;
  /** The request repeats an earlier one: the real call would answer `Idempotent-Replayed`. */
  replay?: true;
}

/** The body of a decline, with its HTTP status. */
export type DeclineView = Record<string, unknown> & { http_status: number };

/** The outcome that placing an order, or paying, would have. */
export interface Prediction {
  requiresApproval: boolean;
  /** An earlier request holds the key, and its outcome would be answered. */
  isReplay?: boolean;
}

/** The header of an answer that repeats an earlier one. */
export const REPLAYED = { 'Idempotent-Replayed': 'true' };

const SUPPORTED = Symbol('dry run');

/** The route answers dry runs: its handler takes `DryRunHeader`. */
export const SupportsDryRun = (): MethodDecorator => SetMetadata(SUPPORTED, true);

/** Refuses a dry run of a change that would be made all the same. @throws InvalidRequest */
@Injectable()
export class DryRunGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { method, headers, query } = context.switchToHttp().getRequest<Request>();
    const isRead = method === 'GET' || method === 'HEAD';
    if (!isRead && 'dry_run' in query) throw InvalidRequest.field('dry_run', 'must be the header Dry-Run: true');
    const isSupported = isRead || Reflect.getMetadata(SUPPORTED, context.getHandler()) === true;
    if (headers['dry-run'] !== undefined && !isSupported) throw InvalidRequest.field('Dry-Run', 'is not supported by this request');
    return true;
  }
}

/** Whether the request has `Dry-Run: true`. @throws InvalidRequest for another value */
export const DryRunHeader = createParamDecorator((_data: unknown, context: ExecutionContext): boolean => {
  const value = context.switchToHttp().getRequest<Request>().get('Dry-Run');
  if (value !== undefined && value !== 'true') throw InvalidRequest.field('Dry-Run', 'must be true, or left out');
  return value === 'true';
});

/** Answers a dry run. A decline is part of the answer. @throws the errors of the request itself: 400, 401, 403 and 404. */
export async function dryRunView(microUsdc: bigint, prediction: Promise<Prediction>): Promise<DryRunView> {
  const amount_usdc = formatUsdc(microUsdc);
  try {
    const { requiresApproval, isReplay = false } = await prediction;
    return { dry_run: true, allowed: true, requires_approval: requiresApproval, amount_usdc, ...(isReplay && { replay: true }) };
  } catch (thrown) {
    const error = thrown instanceof ChainUnavailableError ? new ChainUnavailable() : thrown;
    if (!(error instanceof DomainError) || REQUEST_ERRORS.includes(error.status)) throw error;
    const isReplay = 'Idempotent-Replayed' in error.headers;
    return {
      dry_run: true,
      allowed: false,
      requires_approval: false,
      amount_usdc,
      decline: declineView(error),
      ...(isReplay && { replay: true }),
    };
  }
}

/** An error as a dry run shows it. */
export function declineView(error: DomainError): DeclineView {
  return { error: error.code, message: error.message, ...error.details, http_status: error.status };
}
