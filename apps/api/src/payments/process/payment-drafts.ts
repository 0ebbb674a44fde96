import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { newId } from '#database';
import { providerUrlDefect } from '../../egress/url-policy';
import { requireCover, type Caller } from '../../http/caller';
import { InvalidRequest } from '../../http/domain.errors';
import { referencedBy, type ReferencedDto } from '../../lists/references';
import { parseUsdc } from '../../money/usdc';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';
import { DEFAULT_EXPIRY_SECONDS } from '../../sessions';
import { sentBody } from '../provider/body-text';
import { Payment } from '../payment.entity';
import type { AuthorizePaymentDto, CreatePaymentDto, OpenSessionDto } from '../payments.dto';
import type { ProviderRequest } from '../provider/provider-client';

/** A request that is checked, and its payment, which is not stored yet. */
export interface Requested {
  draft: Payment;
  request: ProviderRequest;
  openSession: OpenSessionDto | null;
}

/** The members that both requests have. */
type PaymentDto = ReferencedDto & {
  account_id: string;
  session_id?: string;
  purse_id?: string;
  idempotency_key: string;
  max_amount: string;
};

/** The content of a draft that differs between the two requests. */
interface Terms {
  mode: Payment['mode'];
  /** The called resource. The method is null if the agent calls it. */
  method: string | null;
  url: string;
  /** The field of the URL. */
  field: string;
  /** The members that a replay must repeat, beside the account and the bound. */
  parameters: unknown[];
}

/** Prepares payments from requests. Stores nothing. */
@Injectable()
export class PaymentDrafts {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** The payment of a call that this service makes. @throws InvalidRequest, NotFound */
  toPay(caller: Caller, dto: CreatePaymentDto): Requested {
    const { request: asked, open_session: openSession = null } = dto;
    const { method, url } = asked;
    const { body, headers } = sentBody(asked.body, asked.headers ?? {});
    const request = { method, url, headers, body: body ?? asked.body_base64 ?? null };
    const parameters = [
      request,
      dto.session_id ?? null,
      openSession && [parseUsdc(openSession.cap).toString(), openSession.expires_in_seconds ?? DEFAULT_EXPIRY_SECONDS],
      ...purseParameters(dto),
    ];
    const draft = this.draft(caller, dto, { mode: 'pay', method, url, field: 'request.url', parameters });
    return { draft, request, openSession };
  }

  /** The payment of a call that the agent makes. @throws InvalidRequest, NotFound */
  toAuthorize(caller: Caller, dto: AuthorizePaymentDto): Payment {
    const parameters = [dto.url, dto.challenges ?? dto.payment_required, dto.session_id ?? null, ...purseParameters(dto)];
    return this.draft(caller, dto, { mode: 'authorize', method: null, url: dto.url, field: 'url', parameters });
  }

  private draft(caller: Caller, dto: PaymentDto, { mode, method, url, field, parameters }: Terms): Payment {
    const { origin, pathname } = this.callable(url, field);
    requireCover(caller, dto.account_id);
    const maxMicroUsdc = parseUsdc(dto.max_amount);
    const createdAt = this.clock.now();
    return this.database.manager.create(Payment, {
      id: newId('pay', createdAt),
      operatorId: caller.operatorId,
      accountId: dto.account_id,
      sessionId: dto.session_id ?? null,
      purseId: dto.purse_id ?? null,
      ...referencedBy(dto),
      idempotencyKey: dto.idempotency_key,
      requestHash: createHash('sha256')
        .update(JSON.stringify([mode, dto.account_id, maxMicroUsdc.toString(), ...parameters]))
        .digest(),
      mode,
      maxMicroUsdc,
      provider: origin,
      requestMethod: method,
      // The query may carry secrets.
      requestUrl: origin + pathname,
      requestSealed: null,
      createdAt,
    });
  }

  /** @throws InvalidRequest for a URL that may not be called: https only, and http on this machine in the sandbox. */
  private callable(text: string, field: string): URL {
    const defect = providerUrlDefect(text, { allowPrivate: this.config.ALLOW_PRIVATE_URLS });
    if (defect !== undefined) throw InvalidRequest.field(field, defect);
    return new URL(text);
  }
}

/** Absent without a purse, so that the hashes of other requests stay as they were. */
function purseParameters({ purse_id: id }: { purse_id?: string }): string[] {
  return id === undefined ? [] : [id];
}
