import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  asksForApproval,
  Chain,
  ChainUnavailableError,
  type Failure,
  lacksSignature,
  type Violation,
  type SignedTransaction,
  type Signer,
} from '#chain';
import { type Account, AccountsService, PolicyLists } from '../accounts';
import { ACCOUNT_MISSING, ChainUnavailable, isMissing } from '../http/domain.errors';
import type { Caller } from '../http/caller';
import { SignatureRequired, type Signed } from '../signatures';
import { lowerFirst } from '../http/text';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import { Failpoints } from '../runtime/failpoints';
import { type Approval, ApprovalMacs } from './approval-macs';
import type { Attempt } from './attempt.entity';
import { Backfill, isOf } from './backfill';
import { isPolicyReverted, POLICY_REVERTED, underCurrentPolicy } from './current-policy';
import { Order, type StoredFailure, type StoredViolation } from './order.entity';
import { OrderStore, type SignedOrder } from './order.store';
import { type Landed, OrderHandlers, type OrderInstruction, type OrderOutcome } from './order-handlers.service';
import { OrderChanged } from './orders.errors';
import { ShownOrders } from './shown-orders';
import { storeViolation } from './violations';

/** A simulation needs a free nonce: above those that others sign with at the same time, and well inside the nonce window. */
const SIMULATION_LEAD = 128n;
/** An order that waits for approval gets a new nonce if this many later ones are used: half of the nonce window. */
const MAX_NONCE_AGE = 512n;
/** How often a simulation is repeated when only its nonce or a key was outdated. */
const MAX_SIMULATIONS = 5;
/** How often a free nonce is looked for while too many are unresolved. */
const NONCE_POLL_MS = 50;

export const CHAIN_AWAY: StoredFailure = {
  code: 'chain_unavailable',
  message: 'The chain cannot be reached right now. Nothing was sent: repeat the request with the same key.',
};
const TOO_LATE: StoredFailure = {
  code: 'chain_unavailable',
  message: 'The chain did not take the transfer in time, and it can no longer land. Repeat the request with the same key.',
};
const CROWDED: StoredFailure = {
  code: 'chain_unavailable',
  message: 'Too many transfers of this account are on their way. Nothing was sent: repeat the request with the same key.',
};
const NONCE_TAKEN: StoredFailure = {
  code: 'conflict',
  message: 'The transfer that the seller had before landed first.',
};
const NOT_LANDED: StoredViolation = {
  rule: 'provider_refused',
  message: 'The seller did not send the transfer while it could land. No money moved.',
};
const PAID_BEFORE: StoredFailure = {
  code: 'conflict',
  message: 'The same request was executed before the database was restored. Repeat it with the same key to get its outcome.',
};

/** Program errors about the nonce, not about the order. */
const NONCE_REASONS = new Set(['already_executed', 'seq_too_old', 'seq_too_far']);
/** Program errors about a key that was rotated, or a fleet that was joined or left, since the account was read. */
const OUTDATED_REASONS = new Set(['wrong_authority', 'wrong_operator', 'fleet_missing', 'wrong_fleet', 'wrong_policy']);
/** Program errors about the destination. */
export const RECIPIENT_REASONS = new Set(['invalid_destination', 'destination_frozen', 'destination_is_source']);

/** A simulation's outcome, with the account as it was read for it. */
export interface Simulated {
  account: Account;
  instruction: OrderInstruction;
  outcome: OrderOutcome;
  /** The transaction with which the order is stored, where it was signed before. */
  signed?: SignedOrder | undefined;
}

/** The outcome of an order that a rule of the service declines before it is simulated. */
export function declinedBy(violation: StoredViolation, account: Account, instruction: OrderInstruction): Simulated {
  return { account, instruction, outcome: { kind: 'declined', violation } };
}

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
    private readonly lists: PolicyLists,
    private readonly store: OrderStore,
    private readonly handlers: OrderHandlers,
    private readonly backfill: Backfill,
    private readonly shown: ShownOrders,
    private readonly macs: ApprovalMacs,
    private readonly failpoints: Failpoints,
  ) {}

  /** Simulates an order. Nothing is sent. @throws ChainUnavailableError */
  async simulate(order: Order, account: Account, instruction: OrderInstruction): Promise<Simulated> {
    let current = account;
    for (let tries = 1; ; tries++) {
      const approver = await this.approverOf(order, current, instruction);
      const known = current;
      const outcome = await underCurrentPolicy(known, () =>
        instruction.simulate(known, approver, known.nextSeq + SIMULATION_LEAD, Number(known.observedSlot)),
      );
      const reread = outcome.kind === 'failed' && tries < MAX_SIMULATIONS ? await this.reread(known, outcome.failure) : undefined;
      if (!reread) return { account: known, instruction, outcome };
      current = reread;
    }
  }

  /** The account read again, where only its nonce counter, a key of it or its fleet was outdated. */
  private async reread(account: Account, { reason }: Failure): Promise<Account | undefined> {
    if (OUTDATED_REASONS.has(reason)) return this.accounts.withCurrentKeys(account);
    if (!NONCE_REASONS.has(reason)) return undefined;
    // Others used the nonce first, or the counter has run ahead of the chain.
    const onChain = await this.chain.accounts.find(account.chainAddress);
    if (onChain && !(await this.store.hasUnresolvedNonce(account.id))) await this.accounts.rewindNonces(account, onChain.highestSeq);
    return this.accounts.findEver(account.operatorId, account.id);
  }

  /** Runs an order that the caller has leased, at least one step. `known` is a simulation that was just made. */
  async run(order: Order, deadline: number, known?: Simulated): Promise<Order> {
    let current = order;
    do {
      const account = known?.account ?? (await this.accounts.findEver(current.operatorId, current.accountId));
      const next =
        current.status === 'created'
          ? await this.begin(current, account, deadline, known)
          : known?.signed && known.signed.seq === current.seq
            ? await this.submitIfReachable(current, account, known.signed.transaction, deadline)
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
      simulated = known ?? (await this.simulate(order, account, await this.handlers.of(order).instruction(order)));
    } catch (error) {
      if (!(error instanceof ChainUnavailableError)) throw error;
      return order.approved ? this.store.unapprove(order.id) : this.store.fail(order, CHAIN_AWAY);
    }
    const { outcome } = simulated;
    if (outcome.kind === 'failed') await this.noteMissing(order, outcome.failure);
    if (outcome.kind === 'failed') return this.store.fail(order, storeFailure(outcome.failure, order));
    if (outcome.kind === 'declined')
      return this.store.reject(order, outcome.violation, await this.handlers.of(order).declined(order, outcome.violation.rule));
    if (outcome.kind === 'allowed') return this.sign(order, simulated.account, simulated.instruction, deadline);
    return this.violated(order, simulated, outcome.violation);
  }

  /** A rule declines the order, or asks for an operator's approval. */
  private async violated(
    order: Order,
    known: Pick<Simulated, 'account' | 'instruction'>,
    violation: Violation,
  ): Promise<Order | undefined> {
    if (!asksForApproval(violation.rule)) return this.reject(order, violation);
    const waiting = await this.escalate(order, known, violation.limit ?? 0n);
    this.failpoints.pass('transfer.escalated');
    return waiting;
  }

  /** The chain refused a signed order, which used no nonce and can never land again: a rule has changed, or what was spent, since the simulation. */
  private async refused(order: Order, account: Account, violation: Violation): Promise<Order | undefined> {
    // A charge waits for no approval.
    if (order.kind === 'charge') return this.reject(order, violation);
    return this.violated(order, { account, instruction: await this.handlers.of(order).instruction(order) }, violation);
  }

  private async noteMissing({ kind, accountId }: Order, { reason }: Failure): Promise<void> {
    if (isMissing(reason) && kind !== 'top_up') await this.accounts.noteMissing(accountId);
  }

  /** Whether the operator itself must sign the approval of an order, because it holds its chain key outside of the service. */
  async needsOperator(order: Order): Promise<boolean> {
    return this.accounts.isExternal(await this.accounts.findEver(order.operatorId, order.accountId));
  }

  /**
   * The approval of an order by an operator's key, for the nonce that it has, or gets. Nothing is stored.
   * @throws OrderChanged where the order is not as it was asked for; ChainUnavailable
   */
  async approval(order: Order, { keyId }: Caller, signed: Signed | null): Promise<Approval> {
    const account = await this.accounts.findEver(order.operatorId, order.accountId);
    const instruction = await this.handlers.of(order).instruction(order);
    if (!this.macs.isWaiting(order, instruction, account)) throw new OrderChanged();
    const seq = (await this.usableNonce(order, account)) ?? signed?.seq ?? (await this.store.allocateNonce(account.id));
    if (seq === undefined) throw new ChainUnavailable(CROWDED.message);
    return this.macs.approval(order, instruction, account, { approvedBy: keyId, approvedAt: this.clock.now(), seq });
  }

  /**
   * The nonce of an order that waits for approval, unless so many later ones are used that it may leave the nonce window. Nothing that was
   * signed with it can land: an order waits only once all its attempts are dead.
   */
  private async usableNonce({ seq }: Order, { chainAddress }: Account): Promise<bigint | undefined> {
    if (seq === null) return undefined;
    const onChain = await this.chain.accounts.find(chainAddress);
    return onChain && onChain.highestSeq - seq >= MAX_NONCE_AGE ? undefined : seq;
  }

  /**
   * Simulates the approval of an order and signs it, with what the operator has signed. Undefined where a rule declines it. Nothing is
   * stored or sent. @throws SignatureRequired; ChainUnavailableError
   */
  async signApproval(order: Order, { mac, ...approval }: Approval, signed: Signed | null): Promise<SignedOrder | undefined> {
    const approved = Object.assign(new Order(), order, { ...approval, approved: true, approvalMac: mac });
    const account = await this.accounts.findEver(order.operatorId, order.accountId);
    const simulated = await this.simulate(approved, account, await this.handlers.of(order).instruction(order));
    if (simulated.outcome.kind !== 'allowed') return undefined;
    const operator = await this.accounts.operatorOf(simulated.account, signed);
    try {
      return { seq: approval.seq, transaction: await simulated.instruction.sign(simulated.account, operator, approval.seq) };
    } catch (error) {
      throw SignatureRequired.with(error, { seq: approval.seq });
    }
  }

  /** Stores the signed transaction of an order that was approved. Undefined where another process moved the order. */
  async submitApproval(order: Order, { seq, transaction }: SignedOrder): Promise<Order | undefined> {
    const submitted = await this.store.submit(order, seq, transaction, this.handlers.of(order).initiated(order, transaction.signature));
    this.failpoints.pass('transfer.submitted');
    return submitted;
  }

  /** Allocates a nonce unless the order has one, signs, stores, submits. */
  private async sign(order: Order, account: Account, instruction: OrderInstruction, deadline: number): Promise<Order | undefined> {
    const approver = await this.approverOf(order, account, instruction);
    if (approver && lacksSignature(approver)) return this.withoutSignature(order);
    const seq = order.seq ?? (await this.takeNonce(order, deadline));
    if (seq === undefined) return order;
    if (order.seq === null) this.failpoints.pass('transfer.nonce_taken');
    const signed = await instruction.sign(account, approver, seq);
    this.failpoints.pass('transfer.signed');
    const submitted = await this.store.submit(order, seq, signed, this.handlers.of(order).initiated(order, signed.signature));
    this.failpoints.pass('transfer.submitted');
    return submitted && this.submitIfReachable(submitted, account, signed, deadline);
  }

  /**
   * Signs a new order before it is stored, so that one statement stores both. Undefined where the program would not take it, its account
   * has no nonce free, or the chain is unavailable: then it is stored first.
   */
  async signNew({ account, instruction, outcome }: Simulated): Promise<SignedOrder | undefined> {
    if (outcome.kind !== 'allowed') return undefined;
    const seq = await this.store.leaseNonce(account.id);
    if (seq === undefined) return undefined;
    this.failpoints.pass('transfer.nonce_taken');
    try {
      const transaction = await instruction.sign(account, null, seq);
      this.failpoints.pass('transfer.signed');
      return { seq, transaction };
    } catch (error) {
      if (error instanceof ChainUnavailableError) return undefined;
      throw error;
    }
  }

  private async takeNonce(order: Order, deadline: number): Promise<bigint | undefined> {
    for (;;) {
      const seq = await this.store.takeNonce(order);
      if (seq !== undefined || performance.now() > deadline) return seq;
      await setTimeout(NONCE_POLL_MS);
    }
  }

  /** An approved order that only the operator can sign again: it waits for another approval. */
  private withoutSignature(order: Order): Promise<Order | undefined> {
    return order.status === 'created' ? this.store.unapprove(order.id) : this.store.restartUnapproved(order);
  }

  // The transitions with the side effects of the order's kind.

  private escalate(
    order: Order,
    { instruction, account }: Pick<Simulated, 'account' | 'instruction'>,
    thresholdMicroUsdc: bigint,
  ): Promise<Order | undefined> {
    const expiresAt = this.store.approvalExpiry();
    const mac = this.macs.ofWaiting(order, instruction, account, expiresAt);
    return this.store.escalate(order, { expiresAt, mac }, this.handlers.of(order).escalated(order, thresholdMicroUsdc, expiresAt));
  }

  private async reject(order: Order, violation: Violation): Promise<Order | undefined> {
    const stored = storeViolation(violation, order, await this.lists.factsOf(violation, order));
    return this.store.reject(order, stored, await this.handlers.of(order).declined(order, stored.rule));
  }

  private async settle(order: Order, landed: Landed): Promise<Order | undefined> {
    const settledAt = this.clock.now();
    return this.store.settle(order, landed, settledAt, await this.handlers.of(order).settled(order, landed, settledAt));
  }

  /** Signed bytes are stored: an unavailable chain makes the outcome unknown. */
  private async submitIfReachable(order: Order, account: Account, signed: SignedTransaction, deadline: number): Promise<Order | undefined> {
    try {
      return await this.submit(order, account, signed, deadline);
    } catch (error) {
      if (error instanceof ChainUnavailableError) return order;
      throw error;
    }
  }

  /** Sends the bytes until their outcome is known, and stores it. */
  private async submit(order: Order, account: Account, signed: SignedTransaction, deadline: number): Promise<Order | undefined> {
    const outcome = await this.chain.orders.settle(signed, Math.max(0, deadline - performance.now()), () =>
      this.failpoints.pass('transfer.sent'),
    );
    switch (outcome.kind) {
      case 'landed': {
        this.failpoints.pass('transfer.landed');
        const settled = await this.settleIfUsed(order, account, { signature: signed.signature, slot: outcome.slot }, deadline);
        this.failpoints.pass('transfer.settled');
        return settled;
      }
      case 'violation':
        this.failpoints.pass('transfer.refused');
        await this.accounts.noteChange(order.accountId, outcome.slot);
        return this.refused(order, account, outcome.violation);
      case 'failed':
        return this.afterFailure(order, account, outcome.failure);
      case 'expired':
      case 'unknown':
      case 'not_sent':
        return order;
    }
  }

  /**
   * A node says that the transaction landed. Money moved only if the account's nonce is used: a slow node may report the landing
   * seconds before it shows the account. Where they still contradict each other at the deadline, recovery asks again.
   */
  private async settleIfUsed(
    order: Order,
    account: Account,
    landed: Landed & { signature: string },
    deadline: number,
  ): Promise<Order | undefined> {
    if (order.seq === null) return this.settle(order, landed);
    const outcome = await this.chain.orders.confirmNonceUsed(
      landed,
      { address: account.chainAddress, seq: order.seq },
      deadline - performance.now(),
    );
    if (outcome.kind === 'landed') return this.settle(order, landed);
    if (outcome.kind === 'violation') return this.refused(order, account, outcome.violation);
    if (outcome.kind === 'failed') return this.afterFailure(order, account, outcome.failure);
    return order;
  }

  /** The transaction landed with an error that is no policy violation: it used no nonce and can never land again. */
  private async afterFailure(order: Order, account: Account, failure: Failure): Promise<Order | undefined> {
    if (NONCE_REASONS.has(failure.reason)) return this.settleByHistory(order, account);
    // A key was rotated, or the fleet changed, between simulation and landing: sign again with the same nonce.
    if (OUTDATED_REASONS.has(failure.reason) && (await this.accounts.withCurrentKeys(account))) return this.store.restart(order);
    return this.store.fail(order, storeFailure(failure, order));
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
    if (order.seq !== null && onChain?.isNonceUsed(order.seq)) return this.settleByHistory(order, account);
    return expiredAt === undefined ? order : this.rejectHanded(order);
  }

  private async rejectHanded(order: Order): Promise<Order | undefined> {
    return this.store.reject(order, NOT_LANDED, await this.handlers.of(order).declined(order, NOT_LANDED.rule));
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
        return this.settleIfUsed(order, account, { signature: attempt.signature, slot: outcome.slot }, deadline);
      if (outcome.kind === 'unknown') open.push(attempt);
      if (outcome.kind === 'expired') expiredAt = Math.max(expiredAt, outcome.asOfSlot);
      const isLatest = attempt === attempts[0];
      if (isLatest && outcome.kind === 'violation') return this.refused(order, account, outcome.violation);
      if (isLatest && outcome.kind === 'failed') return this.afterFailure(order, account, outcome.failure);
    }
    const [latest] = open;
    if (latest) {
      const { signature, bytes, lastValidBlockHeight, feeLamports } = latest;
      const signed = { signature, bytes, lastValidBlockHeight: Number(lastValidBlockHeight), feeLamports: feeLamports ?? 0n };
      return this.submit(order, account, signed, deadline);
    }
    return this.afterExpiry(order, account, expiredAt, deadline);
  }

  /** Every attempt has expired at this finalized slot. The nonce window shows whether one of them landed. */
  private async afterExpiry(order: Order, account: Account, slot: number, deadline: number): Promise<Order | undefined> {
    const onChain = await this.chain.accounts.find(account.chainAddress, slot);
    if (order.seq !== null && onChain?.isNonceUsed(order.seq)) return this.settleByHistory(order, account);
    const age = this.clock.now().getTime() - (order.submittedAt ?? order.createdAt).getTime();
    if (age > this.config.RESIGN_FOR_SECONDS * 1000) return this.store.fail(order, TOO_LATE);
    return this.sign(order, account, await this.handlers.of(order).instruction(order), deadline);
  }

  /** The nonce is used: by this order if the program's event says so; else by another, and this order gets a new nonce. */
  private async settleByHistory(order: Order, account: Account): Promise<Order | undefined> {
    const onChain = await this.chain.accounts.find(account.chainAddress);
    const landed = order.seq === null ? null : await this.chain.history.findOrder(account.chainAddress, order.seq);
    if (landed && isOf(landed, order)) return this.settle(order, landed);
    // The nonce is used, and the history does not show by what: it is pruned, or recovery asks again.
    if (!landed && order.seq !== null && onChain?.isNonceUsed(order.seq)) {
      const shown = await this.shown.landed(order, account);
      return shown ? this.settle(order, shown) : order;
    }
    if (order.nonceOf !== null) {
      if (landed) await this.backfill.settle(landed);
      return this.store.fail(order, NONCE_TAKEN);
    }
    await this.accounts.raiseNonces(order.accountId, onChain?.highestSeq ?? 0n);
    return order.handedUntil === null ? this.store.dropNonce(order) : this.rejectHanded(order);
  }

  /** The operator's signer, where the order was approved as it is. */
  private async approverOf(order: Order, account: Account, instruction: OrderInstruction): Promise<Signer | null> {
    return order.approved && this.macs.isApproved(order, instruction, account) ? this.accounts.operatorOf(account) : null;
  }
}

/** A simulation's or a landed transaction's failure, as it is stored. */
export function storeFailure({ reason, detail }: Failure, { kind }: Pick<Order, 'kind'>): StoredFailure {
  if (isPolicyReverted({ reason })) return { code: 'chain_unavailable', message: POLICY_REVERTED };
  // A top-up names a session too, which may have ended.
  if (isMissing(reason) && kind !== 'top_up') return { code: 'chain_unavailable', message: ACCOUNT_MISSING };
  if (NONCE_REASONS.has(reason)) return CROWDED;
  if (RECIPIENT_REASONS.has(reason)) return { code: 'invalid_recipient', message: lowerFirst(detail) };
  return { code: 'conflict', message: `The chain refused this: ${lowerFirst(detail)}. No money moved.` };
}
