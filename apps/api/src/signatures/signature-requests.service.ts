import { Injectable, type OnModuleInit } from '@nestjs/common';
import { SignatureRequiredError, signatureOf, type UnsignedTransaction, WrongSignatureError } from '#chain';
import { isId } from '#database';
import type { Caller } from '../http/caller';
import { Conflict, InvalidRequest, NotFound } from '../http/domain.errors';
import { type Page, toPage } from '../lists/pages';
import { JobsService } from '../jobs/jobs.service';
import { Failpoints } from '../runtime/failpoints';
import { type Answer, type OperatorAction, OperatorActions, SignatureRequired, type Signed } from './operator-action';
import type { SignatureRequest } from './signature-request.entity';
import {
  type ListSignatureRequestsQuery,
  requestView,
  requiredView,
  type SignatureRequestView,
  type SignatureRequiredView,
} from './signature-requests.dto';
import { SignatureRequestsStore } from './signature-requests.store';

const RETENTION_EVERY_MS = 3_600_000;

/**
 * Does what needs the operator's signature. If the service holds the chain key it is done at once. If the operator holds it, the
 * transaction is stored for the operator to sign, and the action runs again with the signature.
 */
@Injectable()
export class SignatureRequestsService implements OnModuleInit {
  constructor(
    private readonly store: SignatureRequestsStore,
    private readonly actions: OperatorActions,
    private readonly failpoints: Failpoints,
    private readonly jobs: JobsService,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'signature-retention', everyMs: RETENTION_EVERY_MS, run: () => this.store.deleteOld() });
  }

  /** Does an action, or asks for the signature that it needs. */
  async perform<P extends object, T extends object>(
    caller: Caller,
    action: OperatorAction<P, T>,
    parameters: P,
  ): Promise<Answer<T | SignatureRequiredView>> {
    try {
      return await action.run(caller, parameters, null);
    } catch (error) {
      const needed = neededSignature(error);
      if (!needed) throw error;
      const described = await action.describe(caller, parameters);
      return required(await this.store.ask(caller, { action: action.name, parameters, ...described }, needed));
    }
  }

  /**
   * Takes the signature, and does the action that waits for it. Answers as the action does; if a further signature is needed, as the
   * first call did. A completed request answers as it did before.
   * @throws NotFound; InvalidRequest for another transaction or a signature that is not valid; Conflict if the request has expired or
   * is being executed.
   */
  async submit(caller: Caller, id: string, transaction: string): Promise<Answer<object>> {
    const request = await this.find(caller, id);
    const signature = this.signature(request, transaction);
    if (request.completedAt !== null) return answered(request);
    if (this.store.statusOf(request) === 'expired')
      throw new Conflict(
        `The transaction has expired: renew it with POST /v1/signature_requests/${id}/renew, and sign the new one.`,
        'expired',
      );
    const { required, done } = await this.execute(caller, request, signature);
    return required ?? done;
  }

  /**
   * Makes the transaction of an open request again, with a new blockhash. An action that needs no signature any more is done, which
   * completes the request. @throws NotFound; Conflict if it is completed or being executed.
   */
  async renew(caller: Caller, id: string): Promise<Answer<SignatureRequiredView>> {
    const request = await this.find(caller, id);
    const result = request.completedAt === null ? await this.execute(caller, request, null) : undefined;
    if (result?.required) return result.required;
    throw new Conflict('The request is completed: it needs no signature any more.', 'completed');
  }

  async show(caller: Caller, id: string): Promise<SignatureRequestView> {
    return this.view(await this.find(caller, id));
  }

  async list(caller: Caller, query: ListSignatureRequestsQuery): Promise<Page<SignatureRequestView>> {
    return toPage(await this.store.list(caller.operatorId, query), query, (request) => this.view(request));
  }

  /** Runs the action with a signature, or without one to make its transaction again. */
  private async execute(caller: Caller, before: SignatureRequest, signature: Uint8Array | null): Promise<Executed> {
    const { id } = before;
    const claimed = await this.store.claim(id, signature);
    if (!claimed) throw new Conflict('The request is being executed right now: try again in a moment.', 'executing');
    this.failpoints.pass('signature.claimed');
    const action = this.actions.named(claimed.action);
    let answer: Answer<object>;
    try {
      answer = await action.run(caller, claimed.parameters, signature && signed(claimed, signature, before.signature !== null));
    } catch (error) {
      const needed = neededSignature(error);
      if (needed) return { required: required(await this.store.renew(claimed, needed)) };
      await this.store.release(id);
      throw error;
    }
    this.failpoints.pass('signature.done');
    await this.store.complete(id, answer);
    return { done: answer };
  }

  /** @throws InvalidRequest */
  private signature(request: SignatureRequest, transaction: string): Uint8Array {
    try {
      return signatureOf(Buffer.from(transaction, 'base64'), unsigned(request), request.signer);
    } catch (error) {
      if (error instanceof WrongSignatureError) throw InvalidRequest.field('transaction', error.message);
      throw error;
    }
  }

  private async find({ operatorId }: Caller, id: string): Promise<SignatureRequest> {
    const request = isId('sig', id) ? await this.store.findOf(operatorId, id) : undefined;
    if (!request) throw new NotFound('There is no such signature request.');
    return request;
  }

  private view(request: SignatureRequest): SignatureRequestView {
    return requestView(request, this.store.statusOf(request));
  }
}

/** The outcome of a request: its action is done, or a transaction must be signed. */
type Executed = { required: Answer<SignatureRequiredView>; done?: undefined } | { required?: undefined; done: Answer<object> };

/** The signature that an error asks for; undefined for every other error. */
function neededSignature(error: unknown): SignatureRequired | undefined {
  if (error instanceof SignatureRequiredError) return new SignatureRequired(error);
  return error instanceof SignatureRequired ? error : undefined;
}

function unsigned({ unsignedTransaction, lastValidBlockHeight }: SignatureRequest): UnsignedTransaction {
  return { bytes: unsignedTransaction, lastValidBlockHeight: Number(lastValidBlockHeight) };
}

function signed(request: SignatureRequest, signature: Uint8Array, isRepeated: boolean): Signed {
  const { seq, policyVersion, authorityKey, authorityKeySealed } = request;
  return {
    held: { transaction: unsigned(request), signature },
    isRepeated,
    ...(seq !== null && { seq }),
    ...(policyVersion !== null && { policyVersion }),
    ...(authorityKey !== null && authorityKeySealed !== null && { authority: { key: authorityKey, sealed: authorityKeySealed } }),
  };
}

function required(request: SignatureRequest): Answer<SignatureRequiredView> {
  return { status: 202, headers: {}, body: requiredView(request) };
}

/** The answer of the action. */
function answered({ answerStatus, answerHeaders, answerBody }: SignatureRequest): Answer<object> {
  return { status: answerStatus ?? 200, headers: { ...answerHeaders, 'Idempotent-Replayed': 'true' }, body: answerBody ?? {} };
}
