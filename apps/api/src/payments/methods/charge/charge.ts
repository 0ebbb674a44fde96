import { setTimeout } from 'node:timers/promises';
import { ChainUnavailableError, isAway, LocalSigner, type Signer } from '#chain';
import type { Account } from '../../../accounts';
import { ChainUnavailable } from '../../../http/domain.errors';
import { Failpoints } from '../../../runtime/failpoints';
import { Mutex } from '../../../runtime/mutex';
import { EncryptionService } from '../../../secrets';
import type { Answered, Asked, Funding, PaymentMethod, Quote, Step } from '../payment-method';
import type { Payment, PaymentProtocol } from '../../payment.entity';
import { AccountBusy } from '../../payments.errors';
import { ChargeApproval } from './charge-approval';
import type { Charge } from './charge-order';
import { ChargeSettlement, INTERRUPTED } from './charge-settlement';
import { type ChargeCredential, ChargeStore, type NewCharge } from './charge.store';

/** How long a payment waits for the earlier charges of its account, in this process and in others. */
const LOCK_WAIT_MS = 30_000;
const LOCK_POLL_MS = 50;

/** Charges of one account in this process go in their order of arrival, whatever their protocol. */
const accountLocks = new Mutex();

/**
 * Pays by a single transfer. The program makes a one-time key the delegate of exactly the amount; the provider gets the transfer that
 * this key signed; the charge ends when that landed or never can. The protocols differ in the 402 and in the transfer.
 */
export abstract class ChargeMethod<Q extends Quote> implements PaymentMethod<Q> {
  readonly name = 'charge';
  abstract readonly protocol: PaymentProtocol;

  constructor(
    protected readonly encryption: EncryptionService,
    protected readonly approval: ChargeApproval,
    protected readonly settlement: ChargeSettlement,
    protected readonly store: ChargeStore,
    protected readonly failpoints: Failpoints,
  ) {}

  abstract isOffered(asked: Asked): boolean;
  abstract quote(asked: Asked, payment: Payment, funding: Funding): Q;
  abstract conclude(payment: Payment, answered: Answered<Q>): Promise<Step>;

  /** @throws Declined if the price is no longer valid when it is the payment's turn. */
  protected abstract requireTime(quote: Q): void;
  /** Signs the transfer and builds the credential. @throws Declined if it would fail on chain. */
  protected abstract sign(payment: Payment, charge: Charge, quote: Q, delegate: Signer, account: Account): Promise<ChargeCredential>;

  /** Checks the transfer as `sign` does, before its delegate is approved. @throws Declined if it would fail on chain. */
  protected abstract checkTransfer(quote: Q, account: Account): Promise<void>;

  /** Approves the charge on chain and stores the credential. If that fails, the approval is revoked. */
  async authorize(payment: Payment, quote: Q, funding: Funding): Promise<Payment> {
    const { signer: delegate, seed } = LocalSigner.generate();
    const charge = await this.newCharge(payment, delegate, seed);
    const locked = await this.lock(payment, () => this.store.begin(payment, charge));
    try {
      return await this.authorizeLocked(locked, quote, funding, delegate);
    } catch (error) {
      await this.settlement.attempt(locked, () => this.settlement.release(locked));
      if (isAway(error)) throw new ChainUnavailable();
      throw error;
    }
  }

  /** A charge of a payment whose approval is not sent yet. */
  protected async newCharge(payment: Payment, { address }: Signer, seed: Uint8Array): Promise<NewCharge> {
    return {
      protocol: this.protocol,
      orderId: await this.approval.newId(payment),
      delegateKey: address,
      delegateKeySealed: this.encryption.seal('charge-key', payment.id, seed),
    };
  }

  /** Waits, as the payment would, while the account has a charge. */
  async check(payment: Payment, quote: Q, funding: Funding): Promise<void> {
    const { account } = funding;
    await this.untilUnlocked(payment, async () => ((await this.store.isLocked(account.id)) ? undefined : true));
    this.requireTime(quote);
    const { signer: delegate } = LocalSigner.generate();
    const charge = { ...payment, orderId: await this.approval.newId(payment), delegateKey: delegate.address };
    await this.approval.check(charge, funding, quote);
    await this.checkTransfer(quote, account);
  }

  /** The chain shows whether the agent used it. */
  async concludeUnseen(payment: Payment): Promise<Payment> {
    return payment;
  }

  /** Never resends: the chain shows the outcome. */
  async resume(payment: Payment): Promise<Step> {
    return { payment: await this.settlement.resume(payment), resend: false };
  }

  private async authorizeLocked(payment: Payment, quote: Q, funding: Funding, delegate: Signer): Promise<Payment> {
    const { account } = funding;
    const before = await this.approval.paidBefore(payment, account);
    if (before) return this.settlement.finish(payment, before, account);
    this.requireTime(quote);
    const charge = await this.approval.approve(payment, funding, quote);
    this.failpoints.pass('charge.approved');
    const authorized = await this.store.authorize(payment, quote, await this.sign(payment, charge, quote, delegate, account));
    if (!authorized) throw new ChainUnavailableError(INTERRUPTED);
    this.failpoints.pass('charge.authorized');
    return authorized;
  }

  /** Locks the account for this payment's charge. @throws AccountBusy if that takes too long, or if a purse is open. */
  protected lock(payment: Payment, begin: () => Promise<Payment | undefined>): Promise<Payment> {
    return accountLocks.runExclusive(payment.accountId, () => this.untilUnlocked(payment, begin));
  }

  /** The first result of `attempt`, which is undefined while a charge has the account. @throws AccountBusy as `lock` does */
  private async untilUnlocked<T>({ id, accountId }: Payment, attempt: () => Promise<T | undefined>): Promise<T> {
    for (const deadline = performance.now() + LOCK_WAIT_MS; ; await setTimeout(LOCK_POLL_MS)) {
      const result = await attempt();
      if (result !== undefined) return result;
      const isLate = performance.now() > deadline;
      if (isLate || (await this.store.lockingPurse(accountId))) throw new AccountBusy({ payment_id: id });
    }
  }
}
