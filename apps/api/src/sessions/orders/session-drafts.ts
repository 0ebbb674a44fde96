import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { LocalSigner, type SessionOpening } from '#chain';
import { type Account, OpeningTimes } from '../../accounts';
import type { Opening } from '../../allowances';
import { providerUrlDefect } from '../../egress/url-policy';
import type { Caller } from '../../http/caller';
import { InvalidRequest } from '../../http/domain.errors';
import { referencedBy, referenceOf } from '../../lists/references';
import { parseUsdc } from '../../money/usdc';
import { hashOfRequest, type Order, OrderDrafts } from '../../orders';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';
import { EncryptionService } from '../../secrets';
import { hashOfProvider, Session } from '../session.entity';
import { type CreateSessionDto, DEFAULT_EXPIRY_SECONDS } from '../sessions.dto';
import { SessionOpeningHandler } from './session.handlers';

/** Openings of sessions as requests ask for them. Nothing of them is stored. */
@Injectable()
export class SessionDrafts {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly encryption: EncryptionService,
    private readonly orderDrafts: OrderDrafts,
    private readonly handler: SessionOpeningHandler,
    private readonly times: OpeningTimes,
  ) {}

  /** The session with the provider of an origin that a request asks for, its order and its instruction. */
  async opening(caller: Caller, account: Account, request: CreateSessionDto, provider: string): Promise<Opening<Session>> {
    const session = await this.session(account, request, provider);
    const order = await this.order(caller, session, request);
    return { order, account, allowance: session, instruction: this.handler.instructionFor(order, session) };
  }

  /** The origin that a request names. @throws InvalidRequest for what is not an origin that may be called. */
  originOf(provider: string): string {
    const defect = providerUrlDefect(provider, { allowPrivate: this.config.ALLOW_PRIVATE_URLS });
    if (defect !== undefined) throw InvalidRequest.field('provider', defect);
    const url = new URL(provider);
    if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
      throw InvalidRequest.field('provider', 'must be an origin, such as https://api.example.com, without a path');
    return url.origin;
  }

  private order(caller: Caller, session: Session, request: CreateSessionDto): Promise<Order> {
    const { id, accountId, provider, payee, capMicroUsdc, category, graceSeconds } = session;
    // As it was asked for: a policy that ends soon shortens it, by the time of the request.
    const seconds = request.expires_in_seconds ?? DEFAULT_EXPIRY_SECONDS;
    return this.orderDrafts.draft({
      id,
      kind: 'session',
      operatorId: caller.operatorId,
      accountId,
      sessionId: id,
      idempotencyKey: request.idempotency_key,
      requestHash: hashOfRequest([accountId, provider, payee, capMicroUsdc.toString(), category, seconds, graceSeconds]),
      payee,
      microUsdc: capMicroUsdc,
      category,
      createdBy: caller.keyId,
      byAgent: caller.type === 'agent',
      ...referenceOf(session),
    });
  }

  private async session(account: Account, order: CreateSessionDto, provider: string): Promise<Session> {
    const { operatorId } = account;
    const id = await this.orderDrafts.newId({ operatorId, kind: 'session', idempotencyKey: order.idempotency_key });
    const { seed, signer } = LocalSigner.generate();
    return this.database.manager.create(Session, {
      id,
      operatorId,
      accountId: account.id,
      provider,
      payee: order.payee,
      category: order.category ?? null,
      ...referencedBy(order),
      graceSeconds: order.grace_seconds ?? 0,
      expiresInSeconds: order.expires_in_seconds ?? (await this.times.shortened(account, DEFAULT_EXPIRY_SECONDS)),
      voucherKey: signer.address,
      voucherKeySealed: this.encryption.seal('session-voucher-key', id, seed),
      capMicroUsdc: parseUsdc(order.cap),
      // As the database sets them.
      state: 'ordered',
      acceptedMicroUsdc: 0n,
      settledMicroUsdc: 0n,
      returnedMicroUsdc: 0n,
      address: null,
      openSignature: null,
      endSignature: null,
      createdAt: this.clock.now(),
    });
  }
}

/** Whether the chain shows a session that was opened as a request asks. */
export function isOpening(
  { payee, providerHash, openedAt, expiresAt, graceSeconds }: SessionOpening,
  session: Session,
  { expires_in_seconds: asked }: CreateSessionDto,
): boolean {
  const seconds = (expiresAt.getTime() - openedAt.getTime()) / 1000;
  // One that asked for no time may have been shortened.
  const isSameTime = (asked === undefined ? seconds <= DEFAULT_EXPIRY_SECONDS : seconds === asked) && graceSeconds === session.graceSeconds;
  return payee === session.payee && hashOfProvider(session.provider).equals(providerHash) && isSameTime;
}
