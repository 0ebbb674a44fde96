import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type Account, OpeningTimes } from '../../accounts';
import type { Opening } from '../../allowances';
import type { Caller } from '../../http/caller';
import { referencedBy, referenceOf } from '../../lists/references';
import { parseUsdc } from '../../money/usdc';
import { hashOfRequest, type Order, OrderDrafts, type OrderInstruction, type OrderKind } from '../../orders';
import { Clock } from '../../runtime/clock';
import { ChannelPurseHandler } from './channel-purse.handler';
import { Purse, type PurseKind } from '../purse.entity';
import { PurseHandler } from './purse.handler';
import { PurseKeys } from './purse-keys';
import { PurseStore } from '../store/purse.store';
import { type CreatePurseDto, hostOf, kindOf, usualSeconds } from '../purses.dto';

/** A block's time is an estimate: it differs from the program's clock by a little. */
const BLOCK_TIME_TOLERANCE_SECONDS = 60;

const ORDER_KINDS: Record<PurseKind, OrderKind> = { allowance: 'purse', channel: 'channel_purse' };

/** Openings of purses as requests ask for them. Nothing of them is stored. */
@Injectable()
export class PurseDrafts {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly keys: PurseKeys,
    private readonly orderDrafts: OrderDrafts,
    private readonly store: PurseStore,
    private readonly allowances: PurseHandler,
    private readonly channels: ChannelPurseHandler,
    private readonly times: OpeningTimes,
  ) {}

  /** The purse that a request asks for, its order and its instruction. */
  async opening(caller: Caller, account: Account, request: CreatePurseDto): Promise<Opening<Purse>> {
    const purse = await this.purse(account, request);
    return { order: await this.order(caller, purse, request), account, allowance: purse, instruction: this.instruction(purse) };
  }

  /** Whether a purse that was written from the chain was opened for as long as a request asks. The chain does not show its host. */
  async isOpening(lost: Order, request: CreatePurseDto): Promise<boolean> {
    const { expires_in_seconds: asked } = request;
    const { expiresInSeconds } = await this.store.find(lost.id);
    const more = expiresInSeconds - (asked ?? usualSeconds(kindOf(request)));
    // One that asked for no time may have been shortened.
    return more <= BLOCK_TIME_TOLERANCE_SECONDS && (asked === undefined || more >= -BLOCK_TIME_TOLERANCE_SECONDS);
  }

  private instruction(purse: Purse): OrderInstruction {
    return purse.kind === 'channel' ? this.channels.instructionFor(purse) : this.allowances.instructionFor(purse);
  }

  private order(caller: Caller, purse: Purse, request: CreatePurseDto): Promise<Order> {
    const { id, operatorId, accountId, kind, microUsdc, category, host, delegateKey } = purse;
    // As it was asked for: a policy that ends soon shortens it, by the time of the request.
    const seconds = request.expires_in_seconds ?? usualSeconds(kind);
    const parameters = [accountId, microUsdc.toString(), seconds, category, host];
    return this.orderDrafts.draft({
      id,
      kind: ORDER_KINDS[kind],
      operatorId,
      accountId,
      idempotencyKey: request.idempotency_key,
      requestHash: hashOfRequest(kind === 'allowance' ? parameters : [...parameters, kind]),
      delegateKey,
      microUsdc,
      category,
      createdBy: caller.keyId,
      byAgent: caller.type === 'agent',
      ...referenceOf(purse),
    });
  }

  private async purse(account: Account, request: CreatePurseDto): Promise<Purse> {
    const { amount, category, host, expires_in_seconds } = request;
    const { operatorId } = account;
    const createdAt = this.clock.now();
    const kind = kindOf(request);
    const id = await this.orderDrafts.newId({ operatorId, kind: ORDER_KINDS[kind], idempotencyKey: request.idempotency_key });
    return this.database.manager.create(Purse, {
      id,
      operatorId,
      accountId: account.id,
      category: category ?? null,
      host: host === undefined ? null : hostOf(host),
      ...referencedBy(request),
      microUsdc: parseUsdc(amount),
      expiresInSeconds: expires_in_seconds ?? (await this.times.shortened(account, usualSeconds(kind))),
      ...this.keys.generate(id, kind),
      kind,
      paymentId: null,
      // As the database sets them.
      status: 'ordered',
      committedMicroUsdc: 0n,
      spentMicroUsdc: 0n,
      returnedMicroUsdc: 0n,
      sweptMicroUsdc: 0n,
      recordedMicroUsdc: 0n,
      goneAt: null,
      seq: null,
      openSignature: null,
      endSignature: null,
      createdAt,
    });
  }
}
