import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Chain, ChainOutcomeUnknownError, ChainRefusedError, ChainUnavailableError, LocalSigner, type Signer } from '#chain';
import { type Account, AccountsService } from '../../accounts';
import { ChainUnavailable } from '../../http/domain.errors';
import { JobsService } from '../../jobs/jobs.service';
import { OrdersService } from '../../orders';
import { Clock } from '../../runtime/clock';
import { Failpoints } from '../../runtime/failpoints';
import { Mutex } from '../../runtime/mutex';
import { EncryptionService } from '../../secrets';
import { Credentials } from '../credentials';
import type { Asked, Authorization, Funding, PaymentMethod } from '../payment-method';
import type { Payment } from '../payment.entity';
import { PaymentStore } from '../payment.store';
import { AccountBusy, Declined } from '../payments.errors';
import { type ProviderAnswer, receiptFor } from '../provider-client';
import { type ChargeQuote, quoteCharge } from '../quote';
import { ChargeApproval, declineOf, UNAPPROVABLE } from './charge-approval';
import { asCharge, type Charge, newChargeId } from './charge-order';
import { ChargeSettlement } from './charge-settlement';
import { ChargeStore, type NewCharge } from './charge.store';

/** How long a provider's claim that it was paid is checked before the payment is left to recovery. */
const LANDING_WAIT_MS = 10_000;
const LANDING_POLL_MS = 200;
/** How long a payment waits for the earlier charges of its account, in this process and in others. */
const LOCK_WAIT_MS = 30_000;
const LOCK_POLL_MS = 50;
const JOB_EVERY_MS = 2_000;
const BATCH = 20;

const INTERRUPTED = 'The payment was interrupted before anything was promised: repeat the request with the same key.';

/**
 * Pays by a single transfer, at providers that take no sessions. The program makes a one-time key the delegate of exactly the
 * amount; the provider gets the transfer that this key signed; the charge ends when that landed or never can.
 */
@Injectable()
export class ChargeMethod implements PaymentMethod<ChargeQuote>, OnModuleInit {
  readonly name = 'charge';
  private readonly logger = new Logger('Charges');
  /** Charges of one account in this process go in their order of arrival. */
  private readonly mutex = new Mutex();

  constructor(
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly orders: OrdersService,
    private readonly encryption: EncryptionService,
    private readonly credentials: Credentials,
    private readonly approval: ChargeApproval,
    private readonly settlement: ChargeSettlement,
    private readonly store: ChargeStore,
    private readonly payments: PaymentStore,
    private readonly jobs: JobsService,
    private readonly failpoints: Failpoints,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'charge-endings', everyMs: JOB_EVERY_MS, run: () => this.endLeft() });
  }

  quote(asked: Asked, { maxMicroUsdc }: Payment): ChargeQuote {
    return quoteCharge(asked, { now: this.clock.now(), identity: this.chain.identity, maxMicroUsdc });
  }

  /** Approves the charge on chain and stores the credential. Where that fails, what was approved is revoked. */
  async authorize(payment: Payment, quote: ChargeQuote, { account }: Funding): Promise<Authorization> {
    if (quote.payee === account.chainAddress) throw Declined.because('recipient_mismatch', 'The provider asks the account to pay itself.');
    const { signer: delegate, seed } = LocalSigner.generate();
    const delegateKeySealed = this.encryption.seal('charge-key', payment.id, seed);
    const locked = await this.lock(payment, { orderId: newChargeId(payment), delegateKey: delegate.address, delegateKeySealed });
    try {
      return { payment: await this.authorizeLocked(locked, quote, account, delegate), release: () => undefined };
    } catch (error) {
      await this.attempt(locked, () => this.release(locked));
      if (isAway(error)) throw new ChainUnavailable();
      throw error;
    }
  }

  private async authorizeLocked(payment: Payment, quote: ChargeQuote, account: Account, delegate: Signer): Promise<Payment> {
    const before = await this.approval.paidBefore(payment, account);
    if (before) return this.settlement.finish(payment, before, account);
    this.requireTime(quote);
    const charge = await this.approval.approve(payment, account, quote);
    this.failpoints.pass('charge.approved');
    const authorized = await this.storeCredential(payment, charge, quote, delegate, account);
    this.failpoints.pass('charge.promised');
    return authorized;
  }

  /** Stores the provider's answer, and the outcome if the chain shows it already. It is `unknown` until then. */
  async conclude(payment: Payment, answer: ProviderAnswer | null): Promise<Payment> {
    const isReceipt = receiptFor(payment, answer?.receipt ?? null, payment.transactionSignature) !== null;
    const kept = answer ? await this.store.keepAnswer(payment, answer, isReceipt ? answer.receipt : null) : payment;
    const isPaid = answer !== null && answer.status >= 200 && answer.status < 300;
    const deadline = performance.now() + (isPaid ? LANDING_WAIT_MS : 0);
    for (let current = kept; current?.status === 'unknown'; current = await this.payments.find(payment.id)) {
      const looked = current;
      const concluded = await this.attempt(looked, () => this.settlement.advance(looked));
      if (concluded) return concluded;
      if (performance.now() > deadline) break;
      await setTimeout(LANDING_POLL_MS);
    }
    await this.payments.release(payment.id);
    return this.payments.find(payment.id);
  }

  /** The chain shows whether the agent used it. */
  async concludeUnseen(payment: Payment): Promise<Payment> {
    return payment;
  }

  /** Never resends: the chain shows the outcome. Without a credential, what was approved is revoked. */
  async resume(payment: Payment): Promise<{ payment: Payment; resend: boolean }> {
    if (payment.status === 'unknown') await this.attempt(payment, () => this.settlement.advance(payment));
    if (payment.status === 'created') await this.attempt(payment, () => this.abandon(payment));
    return { payment: await this.payments.find(payment.id), resend: false };
  }

  /** The accounts among these with a charge that began after a time. */
  underWay(accountIds: string[], since: Date): Promise<Set<string>> {
    return this.store.lockedSince(accountIds, since);
  }

  /** Locks the account for this payment's charge. @throws AccountBusy where that takes too long. */
  private async lock(payment: Payment, charge: NewCharge): Promise<Payment> {
    const deadline = performance.now() + LOCK_WAIT_MS;
    const { release } = await this.mutex.acquire(payment.accountId);
    try {
      for (;;) {
        const locked = await this.store.begin(payment, charge);
        if (locked) return locked;
        if (performance.now() > deadline) throw new AccountBusy(payment.id);
        await setTimeout(LOCK_POLL_MS);
      }
    } finally {
      release();
    }
  }

  private requireTime({ challenge: { expiresAt } }: ChargeQuote): void {
    if (expiresAt && expiresAt <= this.clock.now())
      throw Declined.because('challenge_expired', `The challenge expired at ${expiresAt.toISOString()}, before it was the payment's turn.`);
  }

  /** Signs the transfer for the provider and stores it with what finds its outcome later. */
  private async storeCredential(
    payment: Payment,
    charge: Charge,
    quote: ChargeQuote,
    delegate: Signer,
    account: Account,
  ): Promise<Payment> {
    const built = await this.approval.signTransfer(charge, quote, delegate);
    const payload = { type: 'transaction', transaction: built.transaction };
    const credentialSealed = this.credentials.seal(payment, quote.challenge, payload, account.chainAddress);
    const { microUsdc, payee, category, challengeId } = quote;
    const authorized = await this.store.authorize(payment, { microUsdc, payee, category, challengeId, credentialSealed }, built);
    if (!authorized) throw new ChainUnavailableError(INTERRUPTED);
    return authorized;
  }

  /** No credential was stored: what was approved is revoked, and the same key may pay again. */
  private async abandon(payment: Payment): Promise<void> {
    const charge = await this.settlement.chargeOf(payment);
    if (!(await this.release(payment))) return;
    const decline = charge && declineOf(await this.orders.find(charge.id));
    if (decline) {
      const { microUsdc, payee, category } = charge;
      await this.payments.decline({ ...payment, microUsdc, payee, category }, decline.violation);
    } else await this.payments.fail(payment, { code: 'chain_unavailable', message: INTERRUPTED });
  }

  /** Ends the charges of payments that failed while the chain was unavailable. */
  private async endLeft(): Promise<void> {
    const left = await this.store.finalAndLocked(BATCH);
    await Promise.all(left.map((payment) => this.attempt(payment, () => this.release(payment))));
  }

  /** Ends the charge of a payment without a credential, and unlocks the account. False while its approval may still land. */
  private async release(payment: Payment): Promise<boolean> {
    const found = await this.settlement.chargeOf(payment);
    const charge = found && asCharge(await this.orders.current(found.id));
    if (charge?.status === 'created' || charge?.status === 'submitted') return false;
    if (charge?.status === 'pending_approval') await this.orders.deny(charge, UNAPPROVABLE);
    if (charge?.status === 'settled') {
      const account = await this.accounts.findEver(charge.operatorId, charge.accountId);
      const { spent } = await this.settlement.revoke(charge, account);
      // A restored database may have lost the credential.
      if (spent > 0n) await this.settlement.finish(payment, charge, account);
    }
    await this.store.unlock(payment);
    return true;
  }

  /** The chain may be unavailable or refuse: recovery asks again. */
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
