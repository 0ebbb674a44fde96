import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Chain, ChainUnavailableError, type Failure, type SignedTransaction, type Signer, type Verdict } from '#chain';
import { type Account, AccountsService } from '../accounts';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import { Failpoints } from '../runtime/failpoints';
import { Backfill, isOf } from './backfill';
import { OrderStore } from './order.store';
import { OrderHandlers, type Landed } from './order-handlers.service';
import type { Attempt } from './attempt.entity';
import type { StoredFailure, Order } from './order.entity';

/**
 * A simulation spends no number, but needs one that is free: far enough above those that others sign at the same time, and
 * well inside what the program accepts above its highest.
 */
const SIMULATION_LEAD = 128n;
/** How often a verdict is asked for again when only the number or a key was in the way. */
const MAX_VERDICT_TRIES = 5;
/** A node that refuses by an older policy than was seen is behind, whatever slot it claims: it is asked again after this long. */
const STALE_PAUSE_MS = 200;
/** How long to wait for others when too many numbers are unresolved. */
const CROWDED_PAUSE_MS = 50;

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

/** The program's errors that tell of the number, not of the order. */
const NUMBER_REASONS = new Set(['already_executed', 'seq_too_old', 'seq_too_far']);
/** The program's errors that tell of a key: it was changed since it was read. */
const KEY_REASONS = new Set(['wrong_authority', 'wrong_operator']);
/** The program's errors that tell of the recipient. */
export const RECIPIENT_REASONS = new Set(['invalid_destination', 'destination_frozen', 'destination_is_source']);

/** The paying account as it was read, and what the program said. */
export interface Judged {
  account: Account;
  verdict: Verdict;
}

/**
 * Takes a transfer from wherever it stands as far as it gets until `deadline`: judged, numbered, signed, stored, sent,
 * settled. Every step is a row first, so that whoever comes after a crash finds what is left to do.
 */
@Injectable()
export class OrderProcessor {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly store: OrderStore,
    private readonly handlers: OrderHandlers,
    private readonly backfill: Backfill,
    private readonly failpoints: Failpoints,
  ) {}

  /** The program's verdict on a transfer, before anything is sent. @throws ChainUnavailableError */
  async judge(transfer: Order, account: Account): Promise<Judged> {
    let current = account;
    for (let tries = 1; ; tries++) {
      const approver = await this.approverOf(transfer, current);
      const verdict = await this.handlers
        .of(transfer)
        .judge(transfer, current, approver, current.nextSeq + SIMULATION_LEAD, Number(current.changedSlot));
      const isStale = verdict.kind === 'refused' && (verdict.refusal.policyVersion ?? current.policyVersion) < current.policyVersion;
      const mended = verdict.kind === 'failed' && tries < MAX_VERDICT_TRIES ? await this.mend(current, verdict.failure) : undefined;
      if (!isStale && !mended) return { account: current, verdict };
      if (isStale && tries >= MAX_VERDICT_TRIES) throw new ChainUnavailableError('every node is behind the policy that was seen');
      if (isStale) await setTimeout(STALE_PAUSE_MS);
      current = mended ?? current;
    }
  }

  /** The account read anew, where only its number or a key of it was in the way. */
  private async mend(account: Account, { reason }: Failure): Promise<Account | undefined> {
    if (KEY_REASONS.has(reason)) return this.accounts.withCurrentKeys(account);
    if (!NUMBER_REASONS.has(reason)) return undefined;
    // Others were faster, or the counter has run ahead of the chain.
    const onChain = await this.chain.account(account.chainAddress);
    if (onChain) await this.store.rewindSeq(account.id, onChain.highestSeq);
    return this.accounts.findEver(account.operatorId, account.id);
  }

  /** Runs a transfer whose lease the caller holds, at least one step. What is known already is not asked for again. */
  async run(transfer: Order, deadline: number, known?: Judged): Promise<Order> {
    let current = transfer;
    do {
      const account = known?.account ?? (await this.accounts.findEver(current.operatorId, current.accountId));
      const next =
        current.status === 'created'
          ? await this.begin(current, account, deadline, known)
          : await this.resumeIfReachable(current, account, deadline);
      if (next === undefined) return this.store.find(transfer.id); // somebody else moved it
      if (next.status !== 'created' && next.status !== 'submitted') return next;
      if (next === current) return next; // no further for now: the recovery goes on
      current = next;
      known = undefined;
    } while (performance.now() < deadline);
    return current;
  }

  /** From `created`: nothing is signed that the program would refuse. */
  private async begin(transfer: Order, account: Account, deadline: number, known?: Judged): Promise<Order | undefined> {
    let judged: Judged;
    try {
      // What was only now ordered was never paid. What is older may have been, in a time that a restored database has forgotten.
      if (!known && (await this.backfill.recall(account)).includes(transfer.id)) return undefined;
      judged = known ?? (await this.judge(transfer, account));
    } catch (error) {
      if (!(error instanceof ChainUnavailableError)) throw error;
      return transfer.approved ? this.store.unapprove(transfer.id) : this.store.fail(transfer, CHAIN_AWAY);
    }
    const { verdict } = judged;
    if (verdict.kind === 'failed') return this.store.fail(transfer, storeFailure(verdict.failure));
    if (verdict.kind === 'allowed') return this.sign(transfer, judged.account, deadline);
    const { rule, limit } = verdict.refusal;
    if (rule !== 'escalation_threshold') return this.store.reject(transfer, verdict.refusal);
    const waiting = await this.store.escalate(transfer, limit ?? 0n);
    this.failpoints.pass('transfer.escalated');
    return waiting;
  }

  /** Takes a number where there is none yet, signs, stores, sends. */
  private async sign(transfer: Order, account: Account, deadline: number): Promise<Order | undefined> {
    const seq = transfer.seq ?? (await this.number(transfer, deadline));
    if (seq === undefined) return transfer;
    if (transfer.seq === null) this.failpoints.pass('transfer.numbered');
    const signed = await this.handlers.of(transfer).sign(transfer, account, await this.approverOf(transfer, account), seq);
    this.failpoints.pass('transfer.signed');
    const submitted = await this.store.submit(transfer, seq, signed);
    this.failpoints.pass('transfer.submitted');
    return submitted && this.concludeIfReachable(submitted, account, signed, deadline);
  }

  private async number(transfer: Order, deadline: number): Promise<bigint | undefined> {
    for (;;) {
      const seq = await this.store.takeSeq(transfer);
      if (seq !== undefined || performance.now() > deadline) return seq;
      await setTimeout(CROWDED_PAUSE_MS);
    }
  }

  /** Bytes that may land are out: a chain that is away makes their fate unknown. */
  private async concludeIfReachable(
    transfer: Order,
    account: Account,
    signed: SignedTransaction,
    deadline: number,
  ): Promise<Order | undefined> {
    try {
      return await this.conclude(transfer, account, signed, deadline);
    } catch (error) {
      if (error instanceof ChainUnavailableError) return transfer;
      throw error;
    }
  }

  /** Sends until it is known what became of it, and writes that down. */
  private async conclude(transfer: Order, account: Account, signed: SignedTransaction, deadline: number): Promise<Order | undefined> {
    const outcome = await this.chain.settle(signed, Math.max(0, deadline - performance.now()), () => this.failpoints.pass('transfer.sent'));
    switch (outcome.kind) {
      case 'landed': {
        this.failpoints.pass('transfer.landed');
        const settled = await this.settleIfSpent(transfer, account, { signature: signed.signature, slot: outcome.slot }, deadline);
        this.failpoints.pass('transfer.settled');
        return settled;
      }
      case 'refused':
        this.failpoints.pass('transfer.refused');
        await this.accounts.noteChange(transfer.accountId, outcome.slot);
        return this.store.reject(transfer, outcome.refusal);
      case 'failed':
        return this.afterFailure(transfer, account, outcome.failure);
      case 'expired':
      case 'unknown':
      case 'not_sent':
        return transfer;
    }
  }

  /**
   * A node said that it landed without an error. Money has moved only if the account's number is spent: a slow node may tell the one
   * seconds before it shows the other. What still contradicts itself at the deadline is asked again later.
   */
  private async settleIfSpent(transfer: Order, account: Account, landed: Landed, deadline: number): Promise<Order | undefined> {
    if (transfer.seq === null) return this.store.settle(transfer, landed);
    const outcome = await this.chain.confirmSpent(
      landed,
      { address: account.chainAddress, seq: transfer.seq },
      deadline - performance.now(),
    );
    if (outcome.kind === 'landed') return this.store.settle(transfer, landed);
    if (outcome.kind === 'refused') return this.store.reject(transfer, outcome.refusal);
    if (outcome.kind === 'failed') return this.afterFailure(transfer, account, outcome.failure);
    return transfer;
  }

  /** The transaction is on chain and failed for no rule: it can never land again, and its number is not spent by it. */
  private async afterFailure(transfer: Order, account: Account, failure: Failure): Promise<Order | undefined> {
    if (NUMBER_REASONS.has(failure.reason)) return this.settleByHistory(transfer, account);
    // Rotated between verdict and landing: sign again, with the same number and the new key.
    if (KEY_REASONS.has(failure.reason) && (await this.accounts.withCurrentKeys(account))) return this.store.restart(transfer);
    return this.store.fail(transfer, storeFailure(failure));
  }

  /** Bytes that may land are out: a chain that is away makes their fate unknown, and never a failure. */
  private async resumeIfReachable(transfer: Order, account: Account, deadline: number): Promise<Order | undefined> {
    try {
      return await this.resume(transfer, account, deadline);
    } catch (error) {
      if (error instanceof ChainUnavailableError) return transfer;
      throw error;
    }
  }

  /** From `submitted`, after a crash or a time-out: what became of the attempts, newest first, and then of the number. */
  private async resume(transfer: Order, account: Account, deadline: number): Promise<Order | undefined> {
    const attempts = await this.store.attempts(transfer.id);
    const open: Attempt[] = [];
    for (const attempt of attempts) {
      const outcome = await this.chain.lookUp({ signature: attempt.signature, lastValidBlockHeight: Number(attempt.lastValidBlockHeight) });
      if (outcome.kind === 'landed')
        return this.settleIfSpent(transfer, account, { signature: attempt.signature, slot: outcome.slot }, deadline);
      if (outcome.kind === 'unknown') open.push(attempt);
      const isLatest = attempt === attempts[0];
      if (isLatest && outcome.kind === 'refused') return this.store.reject(transfer, outcome.refusal);
      if (isLatest && outcome.kind === 'failed') return this.afterFailure(transfer, account, outcome.failure);
    }
    const [latest] = open;
    if (latest) {
      const { signature, bytes, lastValidBlockHeight } = latest;
      return this.conclude(transfer, account, { signature, bytes, lastValidBlockHeight: Number(lastValidBlockHeight) }, deadline);
    }
    return this.afterExpiry(transfer, account, deadline);
  }

  /** Every attempt has expired at a finalized height. The number tells whether one of them landed all the same. */
  private async afterExpiry(transfer: Order, account: Account, deadline: number): Promise<Order | undefined> {
    const onChain = await this.chain.account(account.chainAddress);
    if (transfer.seq !== null && onChain?.isSpent(transfer.seq)) return this.settleByHistory(transfer, account);
    const age = this.clock.now().getTime() - (transfer.submittedAt ?? transfer.createdAt).getTime();
    if (age > this.config.RESIGN_FOR_SECONDS * 1000) return this.store.fail(transfer, TOO_LATE);
    return this.sign(transfer, account, deadline);
  }

  /** The number is spent. By this transfer, if the program's event says so; else by a stranger, and it gets a new one. */
  private async settleByHistory(transfer: Order, account: Account): Promise<Order | undefined> {
    const onChain = await this.chain.account(account.chainAddress);
    const landed = transfer.seq === null ? null : await this.chain.history.findOrder(account.chainAddress, transfer.seq);
    if (landed && isOf(landed, transfer)) return this.store.settle(transfer, landed);
    // Spent, but not found in the history yet: ask again later, and never guess.
    if (!landed && transfer.seq !== null && onChain?.isSpent(transfer.seq)) return transfer;
    return this.store.dropSeq(transfer, onChain?.highestSeq ?? 0n);
  }

  /** Whoever co-signs: the operator, of a transfer that it approved. */
  private async approverOf(transfer: Order, account: Account): Promise<Signer | null> {
    return transfer.approved ? this.accounts.operatorOf(account) : null;
  }
}

function storeFailure({ reason, detail }: Failure): StoredFailure {
  if (NUMBER_REASONS.has(reason)) return CROWDED;
  if (RECIPIENT_REASONS.has(reason)) return { code: 'invalid_recipient', message: lowerFirst(detail) };
  return { code: 'conflict', message: `The chain refused this: ${lowerFirst(detail)}. No money moved.` };
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
