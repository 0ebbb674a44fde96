import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import {
  Chain,
  ChainOutcomeUnknownError,
  ChainRefusedError,
  ChainUnavailableError,
  LocalSigner,
  type BuiltPayment,
  type ChargePayment,
  type FinishedCharge,
  type Signer,
  type Verdict,
} from '#chain';
import { idBytes } from '#database';
import { type Account, AccountsService } from '../../accounts';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';
import { Failpoints } from '../../runtime/failpoints';
import { ChainUnavailable } from '../../http/domain.errors';
import { formatUsdc } from '../../money/usdc';
import { EncryptionService } from '../../secrets';
import { type Order, OrdersService, storeViolation } from '../../orders';
import { JobsService } from '../../jobs/jobs.service';
import { isRemembered } from './charge.handler';
import { ChargePayments, chargeIds, newChargeId } from './charge-payments';
import { ChargeLocks } from './charge-locks';
import { Credentials } from '../credentials';
import { PaymentStore, type KeptAnswer } from '../payment.store';
import type { Payment } from '../payment.entity';
import { AccountBusy, Declined } from '../payments.errors';
import { receiptFor } from '../provider-client';
import type { Quote } from '../quote';

/** How long a provider's word that it was paid is checked before the payment is left to the recovery. */
const LANDING_WAIT_MS = 10_000;
const LOOK_EVERY_MS = 200;
const SWEEP_EVERY_MS = 2_000;
const BATCH = 20;

const INTERRUPTED = 'The payment was interrupted before anything was promised: repeat the request with the same key.';
const UNPAYABLE =
  'What the provider asks for would fail on chain: its recipient has no USDC token account or cannot receive, or its memo is too dear.';
const NOT_TAKEN = 'The provider did not take the payment while it could. No money moved.';

/** Why an escalated charge is denied: nobody can approve it in time. */
const UNAPPROVABLE = 'A single payment at or above escalation_threshold is declined: open a session, which an operator can approve.';

/**
 * Single payments at providers that take only a plain transfer. The program lets a key of this one charge move the amount, the
 * provider gets the signed transfer, and the charge is over when that has landed or never can. Whoever comes after a crash
 * finds in the rows and on chain what is left to do.
 */
@Injectable()
export class ChargesService implements OnModuleInit {
  private readonly logger = new Logger('Charges');

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly orders: OrdersService,
    private readonly encryption: EncryptionService,
    private readonly credentials: Credentials,
    private readonly store: PaymentStore,
    private readonly locks: ChargeLocks,
    private readonly payments: ChargePayments,
    private readonly jobs: JobsService,
    private readonly failpoints: Failpoints,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'charge-endings', everyMs: SWEEP_EVERY_MS, sweep: () => this.endLeft() });
  }

  /**
   * Approves the charge on chain and keeps the credential, which the caller then sends; or finds that it was paid under this key
   * before, in a time that a restored database has forgotten, and returns it final. @throws Declined, ChainUnavailable: then
   * nothing was promised, and what was approved is revoked.
   */
  async promise(payment: Payment, account: Account, quote: Quote): Promise<Payment> {
    if (quote.payee === account.chainAddress) throw Declined.because('recipient_mismatch', 'The provider asks the account to pay itself.');
    const { signer: delegate, seed } = LocalSigner.generate();
    const taken = await this.locks.take(payment, { key: delegate.address, sealed: this.encryption.seal('charge-key', payment.id, seed) });
    if (!taken) throw new AccountBusy(payment.id);
    try {
      await this.orders.recall(account);
      const earlier = await this.earlier(payment);
      if (earlier) return await this.finish(taken, earlier, account);
      this.requireTime(quote);
      const order = await this.approve(account, quote, taken, newChargeId(payment));
      this.failpoints.pass('charge.approved');
      const promised = await this.sign(taken, order, quote, delegate);
      this.failpoints.pass('charge.promised');
      return promised;
    } catch (error) {
      await this.attempt(taken, () => this.release(taken));
      if (isAway(error)) throw new ChainUnavailable();
      throw error;
    }
  }

  /** What the provider answered, or that it did not: final once the chain says so, `unknown` until then. */
  async conclude(payment: Payment, answer: KeptAnswer | null, receipt: string | null): Promise<Payment> {
    const isReceipt = receiptFor(payment, receipt, payment.transactionSignature) !== null;
    const kept = answer ? await this.store.keepAnswer(payment, answer, isReceipt ? receipt : null) : payment;
    const isPaid = answer !== null && answer.status >= 200 && answer.status < 300;
    const deadline = performance.now() + (isPaid ? LANDING_WAIT_MS : 0);
    for (let current = kept; current?.status === 'unknown'; current = await this.store.find(payment.id)) {
      const looked = current;
      const concluded = await this.attempt(looked, () => this.advance(looked));
      if (concluded) return concluded;
      if (performance.now() > deadline) break;
      await setTimeout(LOOK_EVERY_MS);
    }
    await this.store.release(payment.id);
    return this.store.find(payment.id);
  }

  /** Goes on with a payment that was left: whether anything was promised of it, or not yet. */
  async resume(payment: Payment): Promise<void> {
    if (payment.status === 'unknown') await this.attempt(payment, () => this.advance(payment));
    if (payment.status === 'created' && payment.delegateKey !== null) await this.attempt(payment, () => this.abandon(payment));
  }

  /** Those of the accounts whose turn a charge has that began after a moment. */
  async underWay(accountIds: string[], since: Date): Promise<Set<string>> {
    const rows: { account_id: string }[] = await this.database.query(
      'SELECT account_id FROM open_charges WHERE account_id = ANY($1) AND taken_at > $2',
      [accountIds, since],
    );
    return new Set(rows.map(({ account_id }) => account_id));
  }

  // ---- before the promise

  private requireTime({ challenge: { expiresAt } }: Quote): void {
    if (expiresAt && expiresAt <= this.clock.now())
      throw Declined.because('challenge_expired', `The challenge expired at ${expiresAt.toISOString()}, before it was the payment's turn.`);
  }

  /** A charge that this very request has paid, and that was forgotten until a moment ago. */
  private async earlier(payment: Payment): Promise<Order | undefined> {
    const [row]: { id: string }[] = await this.database.query(
      `SELECT id FROM transfers WHERE id BETWEEN $1 AND $2 AND account_id = $3 AND status = 'settled' AND destination <> recipient AND created_at > $4 ORDER BY id LIMIT 1`,
      [...chargeIds(payment), payment.accountId, new Date(this.clock.now().getTime() - this.config.IDEMPOTENCY_TTL_SECONDS * 1000)],
    );
    return row && this.orders.find(row.id);
  }

  /** The approval, landed. @throws Declined, ChainUnavailable */
  private async approve(account: Account, quote: Quote, payment: Payment, id: string): Promise<Order> {
    const { operatorId, accountId, delegateKey } = payment;
    const { payee, microUsdc, category } = quote;
    const draft = this.orders.draft(
      {
        kind: 'charge',
        operatorId,
        accountId,
        sessionId: null,
        idempotencyKey: delegateKey ?? '',
        requestHash: createHash('sha256')
          .update(JSON.stringify([payment.id, payee, microUsdc.toString(), category]))
          .digest(),
        recipient: payee,
        destination: payee,
        destinationAccountId: null,
        microUsdc,
        memo: null,
        category,
      },
      id,
    );
    const inspect = async (verdict: Verdict): Promise<void> => {
      if (verdict.kind === 'refused') throw new Declined(storeViolation(verdict.refusal, draft));
      if (verdict.kind === 'failed' && verdict.failure.reason === 'charge_open') await this.endForgotten(account);
      if (verdict.kind === 'failed')
        throw new ChainUnavailable(`The chain refuses single payments of this account: ${verdict.failure.detail}. Nothing was promised.`);
    };
    const { order } = await this.orders.place(draft, account, { inspect });
    if (order.status === 'settled') return order;
    if (order.status === 'pending_approval') await this.orders.deny(order, UNAPPROVABLE);
    throw declineOf(order) ?? new ChainUnavailable(order.failure?.message);
  }

  /** A charge that is open on chain and nobody's turn: of a time that a restored database has forgotten. */
  private async endForgotten({ chainAddress }: Account): Promise<void> {
    const onChain = await this.chain.account(chainAddress);
    if (onChain?.openCharge && onChain.openCharge.deadline <= (await this.chain.sessions.now()))
      await this.chain.charges.finish(chainAddress, onChain.openCharge.seq, null);
  }

  /** Signs the transfer for the provider and keeps the credential, with all that tells later what became of it. */
  private async sign(payment: Payment, order: Order, quote: Quote, delegate: Signer): Promise<Payment> {
    const account = await this.accounts.findEver(order.operatorId, order.accountId);
    const { challenge, microUsdc, payee, category, charge } = quote;
    const built = await this.build(
      {
        tokenAccount: account.usdcTokenAccount,
        recipient: payee,
        microUsdc,
        externalId: charge?.externalId ?? null,
        recentBlockhash: charge?.recentBlockhash ?? null,
        feePayer: charge?.feePayerKey ?? null,
        minContextSlot: Number(account.changedSlot),
      },
      delegate,
    );
    const credentialSealed = this.credentials.seal(
      payment,
      challenge,
      { type: 'transaction', transaction: built.transaction },
      account.chainAddress,
    );
    const promised = await this.store.promiseCharge(
      payment,
      { microUsdc, payee, category, challengeId: challenge.id, credentialSealed },
      built,
    );
    if (!promised) throw new ChainUnavailable(INTERRUPTED);
    return promised;
  }

  /** Under the provider's blockhash where our node knows it, else under one of ours. */
  private async build(payment: ChargePayment, delegate: Signer): Promise<BuiltPayment> {
    try {
      return await this.chain.charges.buildPayment(payment, delegate);
    } catch (error) {
      if (!(error instanceof ChainRefusedError)) throw error;
      if (error.reason === 'blockhash_unknown' && payment.recentBlockhash !== null)
        return this.build({ ...payment, recentBlockhash: null }, delegate);
      throw Declined.because(
        'challenge_invalid',
        error.reason === 'payment_fails' ? UNPAYABLE : `What the provider asks for cannot be built: ${error.message}.`,
      );
    }
  }

  // ---- after it

  /** The final payment, once the chain has said what became of what was promised. */
  private async advance(payment: Payment): Promise<Payment | undefined> {
    const order = await this.orderOf(payment);
    if (order?.status !== 'settled') return undefined; // forgotten by a restored database, and recalled by the recovery
    const account = await this.accounts.findEver(order.operatorId, order.accountId);
    const fate = await this.fateOf(payment, order, account);
    if (fate === 'open') return undefined;
    if (fate === 'landed') this.failpoints.pass('charge.landed');
    return this.finish(payment, order, account, fate === 'landed');
  }

  /** Whether the provider's transaction has landed, may still land, or never can. */
  private async fateOf(payment: Payment, order: Order, account: Account): Promise<'landed' | 'open' | 'over'> {
    const { transactionSignature: signature, lastValidBlockHeight } = payment;
    if (lastValidBlockHeight === null) throw new Error(`${payment.id} does not say until when it may land`);
    if (signature !== null) {
      const outcome = await this.chain.lookUp({ signature, lastValidBlockHeight: Number(lastValidBlockHeight) });
      if (outcome.kind === 'landed') return 'landed';
      if (outcome.kind !== 'unknown') return 'over';
    } else {
      // The height first: what has not landed by then cannot land later.
      const hasExpired = await this.chain.charges.hasExpired(Number(lastValidBlockHeight));
      if (await this.paidBy(order, account)) return 'landed';
      if (hasExpired) return 'over';
    }
    return (await this.isOpen(order, account)) ? 'open' : 'over';
  }

  /**
   * Not stopped by a pause, and not past its deadline, after which anybody may end it. A pause ends it by itself, unless the token
   * account was frozen: then it is ended here, as soon as it can be.
   */
  private async isOpen(order: Order, { chainAddress, paused }: Account): Promise<boolean> {
    if (paused) return false;
    const onChain = await this.chain.account(chainAddress);
    const charge = onChain?.openCharge;
    return (
      charge !== undefined &&
      charge !== null &&
      idBytes(order.id).equals(charge.chargeId) &&
      charge.deadline > (await this.chain.sessions.now())
    );
  }

  /** The transaction that paid the charge, where there is one. */
  private async paidBy(
    { idempotencyKey: delegate, signature: approval, microUsdc }: Order,
    { usdcTokenAccount }: Account,
  ): Promise<string | undefined> {
    return (await this.payments.find(usdcTokenAccount, { delegate, approval, microUsdc }))?.signature;
  }

  /** Ends the charge, and writes down what its key has moved: that, and nobody's word, is what was paid. */
  private async finish(payment: Payment, order: Order, account: Account, hasLanded = false): Promise<Payment> {
    const finished = await this.revoke(order, account);
    if (hasLanded && finished.spent === 0n)
      throw new ChainUnavailableError(`a node has seen the payment of ${order.id} land, and its charge ended unused`);
    const { signature, microUsdc } = await this.spentBy(payment, order, account, finished, hasLanded);
    if (signature === null)
      return (
        (await this.store.refuseCharge(payment, {
          rule: 'provider_refused',
          message: NOT_TAKEN,
          attempted_usdc: formatUsdc(payment.microUsdc),
        })) ?? this.store.find(payment.id)
      );
    return (
      (await this.store.settleCharge(payment, order, { signature, spent: microUsdc, isTold: isRemembered(order) })) ??
      this.store.find(payment.id)
    );
  }

  /** What really left: the payment's own transaction where that has landed, else what the history shows of the key. */
  private async spentBy(
    payment: Payment,
    order: Order,
    account: Account,
    finished: FinishedCharge,
    hasLanded: boolean,
  ): Promise<{ signature: string | null; microUsdc: bigint }> {
    if (finished.spent === 0n) return { signature: null, microUsdc: 0n };
    if (hasLanded) {
      const signature = payment.transactionSignature ?? (await this.paidBy(order, account));
      if (signature === undefined)
        throw new ChainUnavailableError(`the charge ${order.id} was paid, and the history does not tell by what yet`);
      return { signature, microUsdc: finished.spent };
    }
    const movements = await this.chain.charges.movements({
      tokenAccount: account.usdcTokenAccount,
      delegate: order.idempotencyKey,
      approval: order.signature,
      end: finished.signature,
    });
    return { signature: movements[0]?.signature ?? null, microUsdc: movements.reduce((sum, { microUsdc }) => sum + microUsdc, 0n) };
  }

  /** Ends the charge on chain: its key moves nothing any more. By nobody's key where the account's is no longer ours. */
  private async revoke(order: Order, account: Account): Promise<FinishedCharge> {
    const current = await this.accounts.withCurrentKeys(account);
    const finished = await this.chain.charges.finish(
      account.chainAddress,
      await this.numberOf(order),
      current ? this.accounts.authority(current) : null,
    );
    this.failpoints.pass('charge.finished');
    if (!idBytes(order.id).equals(finished.chargeId)) throw new Error(`the charge ${order.id} ended as another one`);
    await this.accounts.noteChange(order.accountId, finished.slot);
    return finished;
  }

  /** The number of a landed approval. An order that a restored database recalled has none written down. */
  private async numberOf({ id, seq, signature }: Order): Promise<bigint> {
    if (seq !== null) return seq;
    const landed = (await this.chain.history.ordersIn(signature ?? '')).find(
      (each) => each.kind === 'charge' && each.id.equals(idBytes(id)),
    );
    if (!landed) throw new ChainUnavailableError(`the history does not tell of the charge ${id} yet`);
    return landed.seq;
  }

  // ---- after a halt

  /** Nothing was promised: what was approved is revoked, and the same key pays anew. */
  private async abandon(payment: Payment): Promise<void> {
    const order = await this.orderOf(payment);
    if (!(await this.release(payment))) return;
    const decline = order && declineOf(await this.orders.find(order.id));
    if (decline)
      await this.store.decline(
        { ...payment, microUsdc: order.microUsdc, payee: order.recipient, category: order.category },
        decline.refusal,
      );
    else await this.store.fail(payment, { code: 'chain_unavailable', message: INTERRUPTED });
  }

  /** Charges of payments that failed while the chain was away. */
  private async endLeft(): Promise<void> {
    const left = await this.store.withLeftCharges(BATCH);
    await Promise.all(left.map((payment) => this.attempt(payment, () => this.release(payment))));
  }

  /** Ends the turn of a payment of which nothing was promised. False while its approval is still on its way: later. */
  private async release(payment: Payment): Promise<boolean> {
    const found = await this.orderOf(payment);
    const order = found && (await this.orders.current(found.id));
    if (order?.status === 'created' || order?.status === 'submitted') return false;
    if (order?.status === 'pending_approval') await this.orders.deny(order, UNAPPROVABLE);
    if (order?.status !== 'settled') {
      await this.store.endCharge(payment);
      return true;
    }
    const account = await this.accounts.findEver(order.operatorId, order.accountId);
    const { spent } = await this.revoke(order, account);
    // A restored database may have forgotten its promise.
    if (spent > 0n) await this.finish(payment, order, account);
    await this.store.endCharge(payment);
    return true;
  }

  /** The order that approves the charge of the payment's present attempt. */
  private async orderOf({ operatorId, delegateKey }: Payment): Promise<Order | undefined> {
    const [row]: { id: string }[] =
      delegateKey === null
        ? []
        : await this.database.query(`SELECT id FROM transfers WHERE operator_id = $1 AND kind = 'charge' AND live_key = $2`, [
            operatorId,
            delegateKey,
          ]);
    return row && this.orders.find(row.id);
  }

  /** Whatever the chain says now: the recovery comes again. */
  private async attempt<T>({ id }: Payment, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!isAway(error) && !(error instanceof ChainRefusedError)) throw error;
      this.logger.warn(`the charge of ${id} is not over yet: ${error.message}`);
      return undefined;
    }
  }
}

function isAway(error: unknown): error is ChainUnavailableError | ChainOutcomeUnknownError {
  return error instanceof ChainUnavailableError || error instanceof ChainOutcomeUnknownError;
}

/** A rule's no to an approval, before it was sent or on chain. */
function declineOf({ status, refusal, rejectionReason }: Order): Declined | undefined {
  if (status === 'pending_approval' || rejectionReason === 'denied' || rejectionReason === 'approval_expired')
    return Declined.because('escalation_threshold', UNAPPROVABLE);
  return status === 'rejected' && refusal ? new Declined(refusal) : undefined;
}
