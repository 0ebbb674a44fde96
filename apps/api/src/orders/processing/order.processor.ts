import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Chain, ChainUnavailableError, type Failure, lacksSignature } from '#chain';
import { type Account, AccountsService } from '../../accounts';
import { isMissing } from '../../http/domain.errors';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';
import { Failpoints } from '../../runtime/failpoints';
import { inSpan } from '../../runtime/observability/tracing';
import type { Attempt } from '../store/attempt.entity';
import { Backfill } from '../backfill/backfill';
import { CHAIN_AWAY, PAID_BEFORE, storeFailure, TOO_LATE } from './order-failures';
import { OrderHandlers, type OrderInstruction } from '../order-handlers.service';
import { OrderLanding } from './order-landing';
import { OrderSimulator, type Simulated } from './order-simulator';
import { OrderTransitions } from './order-transitions';
import type { Order } from '../order.entity';
import { NonceStore } from '../store/nonce.store';
import { OrderInsertions, type SignedOrder } from '../store/order-insertions';
import { OrderStore } from '../store/order.store';

/** How often a free nonce is looked for while too many are unresolved. */
const NONCE_POLL_MS = 50;

/**
 * Takes an order from any state as far as it gets until a deadline: simulate, allocate a nonce, sign, store, submit, settle. Each
 * step is a row before it acts, so that recovery finds what is left to do after a crash.
 */
@Injectable()
export class OrderProcessor {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly store: OrderStore,
    private readonly insertions: OrderInsertions,
    private readonly nonces: NonceStore,
    private readonly handlers: OrderHandlers,
    private readonly backfill: Backfill,
    private readonly simulator: OrderSimulator,
    private readonly transitions: OrderTransitions,
    private readonly landing: OrderLanding,
    private readonly failpoints: Failpoints,
  ) {}

  /** Runs an order that the caller has leased, at least one step. `known` is a simulation that was just made. */
  async run(order: Order, deadline: number, known?: Simulated): Promise<Order> {
    let current = order;
    do {
      const account = known?.account ?? (await this.accounts.findEver(current.operatorId, current.accountId));
      const next =
        current.status === 'created'
          ? await this.begin(current, account, deadline, known)
          : known?.signed && known.signed.seq === current.seq
            ? await this.landing.submitIfReachable(current, account, known.signed.transaction, deadline)
            : await this.resumeIfReachable(current, account, deadline);
      if (next === undefined) return this.store.find(order.id); // another process moved it
      if (next.status !== 'created' && next.status !== 'submitted') return next;
      if (next === current) return next; // no further for now: recovery continues
      current = next;
      known = undefined;
    } while (performance.now() < deadline);
    return current;
  }

  /** From `created`. Nothing is signed that the program would refuse. */
  private async begin(order: Order, account: Account, deadline: number, known?: Simulated): Promise<Order | undefined> {
    let simulated: Simulated;
    try {
      // A new order cannot have been paid. An older one may have been, before a restore.
      if (!known && (await this.backfill.run(account)).includes(order.id)) return undefined;
      if (!known && (await this.backfill.lostFor(order, account))) return this.store.fail(order, PAID_BEFORE);
      simulated = known ?? (await this.simulator.simulate(order, account, await this.handlers.of(order).instruction(order)));
    } catch (error) {
      if (!(error instanceof ChainUnavailableError)) throw error;
      return order.approved ? this.store.unapprove(order.id) : this.store.fail(order, CHAIN_AWAY);
    }
    const { outcome } = simulated;
    if (outcome.kind === 'failed') await this.noteMissing(order, outcome.failure);
    if (outcome.kind === 'failed') return this.store.fail(order, storeFailure(outcome.failure, order));
    if (outcome.kind === 'declined') return this.transitions.decline(order, outcome.violation);
    if (outcome.kind === 'allowed') return this.sign(order, simulated.account, simulated.instruction, deadline);
    return this.transitions.violated(order, simulated, outcome.violation);
  }

  private async noteMissing({ kind, accountId }: Order, { reason }: Failure): Promise<void> {
    if (isMissing(reason) && kind !== 'top_up') await this.accounts.noteMissing(accountId);
  }

  /** Allocates a nonce unless the order has one, signs, stores, submits. */
  private async sign(order: Order, account: Account, instruction: OrderInstruction, deadline: number): Promise<Order | undefined> {
    const approver = await this.simulator.approverOf(order, account, instruction);
    if (approver && lacksSignature(approver)) return this.withoutSignature(order);
    const seq = order.seq ?? (await this.takeNonce(order, deadline));
    if (seq === undefined) return order;
    if (order.seq === null) this.failpoints.pass('transfer.nonce_taken');
    const signed = await inSpan('order.sign', {}, () => instruction.sign(account, approver, seq));
    this.failpoints.pass('transfer.signed');
    const submitted = await this.transitions.submit(order, { seq, transaction: signed });
    return submitted && this.landing.submitIfReachable(submitted, account, signed, deadline);
  }

  /**
   * Signs a new order before it is stored, so that one statement stores both. Undefined if the program would not take it, its account
   * has no nonce free, or the chain is unavailable: then it is stored first.
   */
  async signNew({ account, instruction, outcome }: Simulated): Promise<SignedOrder | undefined> {
    if (outcome.kind !== 'allowed') return undefined;
    const seq = await this.insertions.leaseNonce(account.id);
    if (seq === undefined) return undefined;
    this.failpoints.pass('transfer.nonce_taken');
    try {
      const transaction = await inSpan('order.sign', {}, () => instruction.sign(account, null, seq));
      this.failpoints.pass('transfer.signed');
      return { seq, transaction };
    } catch (error) {
      if (error instanceof ChainUnavailableError) return undefined;
      throw error;
    }
  }

  private async takeNonce(order: Order, deadline: number): Promise<bigint | undefined> {
    for (;;) {
      const seq = await this.nonces.take(order);
      if (seq !== undefined || performance.now() > deadline) return seq;
      await setTimeout(NONCE_POLL_MS);
    }
  }

  /** An approved order that only the operator can sign again: it waits for another approval. */
  private withoutSignature(order: Order): Promise<Order | undefined> {
    return order.status === 'created' ? this.store.unapprove(order.id) : this.store.restartUnapproved(order);
  }

  /** Signed bytes are stored: an unavailable chain makes the outcome unknown, never a failure. */
  private async resumeIfReachable(order: Order, account: Account, deadline: number): Promise<Order | undefined> {
    try {
      return await this.resume(order, account, deadline);
    } catch (error) {
      if (error instanceof ChainUnavailableError) return order;
      throw error;
    }
  }

  /** A transfer that another party sends: its nonce shows whether it landed, and the height when it can no longer land. Never sent here. */
  private async resumeHanded(order: Order, handedUntil: bigint, account: Account): Promise<Order | undefined> {
    // The height first: what has not landed by then cannot land later.
    const expiredAt = await this.chain.orders.expiredAt(Number(handedUntil));
    const onChain = await this.chain.accounts.find(account.chainAddress, expiredAt ?? Number(account.observedSlot));
    if (order.seq !== null && onChain?.isNonceUsed(order.seq)) return this.landing.settleByHistory(order, account);
    return expiredAt === undefined ? order : this.transitions.rejectHanded(order);
  }

  /** From `submitted`, after a crash or a time-out: looks up the attempts, newest first, and then the nonce. */
  private async resume(order: Order, account: Account, deadline: number): Promise<Order | undefined> {
    if (order.handedUntil !== null) return this.resumeHanded(order, order.handedUntil, account);
    const attempts = await this.store.attempts(order.id);
    const open: Attempt[] = [];
    let expiredAt = 0;
    for (const attempt of attempts) {
      const outcome = await this.chain.orders.lookUp({
        signature: attempt.signature,
        lastValidBlockHeight: Number(attempt.lastValidBlockHeight),
      });
      if (outcome.kind === 'landed')
        return this.landing.settleIfUsed(order, account, { signature: attempt.signature, slot: outcome.slot }, deadline);
      if (outcome.kind === 'unknown') open.push(attempt);
      if (outcome.kind === 'expired') expiredAt = Math.max(expiredAt, outcome.asOfSlot);
      const isLatest = attempt === attempts[0];
      if (isLatest && outcome.kind === 'violation') return this.transitions.refused(order, account, outcome.violation);
      if (isLatest && outcome.kind === 'failed') return this.landing.afterFailure(order, account, outcome.failure);
    }
    const [latest] = open;
    if (latest) {
      const { signature, bytes, lastValidBlockHeight, feeLamports } = latest;
      const signed = { signature, bytes, lastValidBlockHeight: Number(lastValidBlockHeight), feeLamports: feeLamports ?? 0n };
      return this.landing.submit(order, account, signed, deadline);
    }
    return this.afterExpiry(order, account, expiredAt, deadline);
  }

  /** Every attempt has expired at this finalized slot. The nonce window shows whether one of them landed. */
  private async afterExpiry(order: Order, account: Account, slot: number, deadline: number): Promise<Order | undefined> {
    const onChain = await this.chain.accounts.find(account.chainAddress, slot);
    if (order.seq !== null && onChain?.isNonceUsed(order.seq)) return this.landing.settleByHistory(order, account);
    const age = this.clock.now().getTime() - (order.submittedAt ?? order.createdAt).getTime();
    if (age > this.config.RESIGN_FOR_SECONDS * 1000) return this.store.fail(order, TOO_LATE);
    return this.sign(order, account, await this.handlers.of(order).instruction(order), deadline);
  }
}
