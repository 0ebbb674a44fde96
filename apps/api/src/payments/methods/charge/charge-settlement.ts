import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Chain, ChainUnavailableError } from '#chain';
import { chainFault } from '../../../allowances';
import { idBytes } from '#database';
import { type Account, AccountsService } from '../../../accounts';
import { formatUsdc } from '../../../money/usdc';
import { JobsService } from '../../../jobs/jobs.service';
import { HandedOrders, OrderReader, OrdersService, type StoredViolation } from '../../../orders';
import { Failpoints } from '../../../runtime/failpoints';
import type { Payment, SealedAnswer } from '../../payment.entity';
import { PaymentStore } from '../../payment.store';
import { declineOf, UNAPPROVABLE } from './charge-approval';
import { asCharge, type Charge } from './charge-order';
import { ChargeEndings, spanOf } from './charge-endings';
import { ChargeStore } from './charge.store';
import { ChargeTransactions } from './charge-transactions';

const LANDING_POLL_MS = 200;
const JOB_EVERY_MS = 2_000;
const BATCH = 20;

/** The payment stopped before a credential was stored. */
export const INTERRUPTED = 'The payment was interrupted before anything was signed: repeat the request with the same key.';

const NOT_TAKEN = 'The provider did not take the payment while it could. No money moved.';
const TAKEN_BACK = 'The payment had landed, and the chain has gone back behind it. The money is in the account again.';

/** Finds out whether a charge was paid, ends it on chain, and stores what its delegate moved. */
@Injectable()
export class ChargeSettlement implements OnModuleInit {
  private readonly logger = new Logger('Charges');

  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly orders: OrdersService,
    private readonly orderReader: OrderReader,
    private readonly handed: HandedOrders,
    private readonly store: ChargeStore,
    private readonly payments: PaymentStore,
    private readonly endings: ChargeEndings,
    private readonly transactions: ChargeTransactions,
    private readonly jobs: JobsService,
    private readonly failpoints: Failpoints,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'charge-endings', everyMs: JOB_EVERY_MS, run: () => this.endLeft() });
  }

  /** The final payment, once the chain shows the outcome of its credential; undefined until then. @throws ChainUnavailableError */
  async advance(payment: Payment): Promise<Payment | undefined> {
    const charge = await this.chargeOf(payment);
    if (charge?.nonceOf && charge.finalAt !== null && charge.status !== 'settled') return this.afterTransfer(payment, charge);
    if (charge?.status !== 'settled') return undefined; // lost by a restore, and settled by backfill
    const account = await this.accounts.findEver(charge.operatorId, charge.accountId);
    if (payment.reversedAt !== null && charge.seq !== null) {
      // The height first: what has not landed by then cannot land later.
      const hasExpired = await this.chain.charges.hasExpired(Number(payment.lastValidBlockHeight));
      const { kind } = await this.chain.charges.standing(account.chainAddress, charge.seq, Number(account.observedSlot));
      if (kind === 'not_approved') return hasExpired ? this.store.refuse(payment, notTaken(payment)) : undefined;
    }
    const state = await this.stateOf(payment, charge, account);
    if (state === 'open') return undefined;
    if (state === 'landed') this.failpoints.pass('charge.landed');
    return this.finish(payment, charge, account, state === 'landed');
  }

  /** The approval that took over the nonce of a direct transfer was refused: the transfer, which the seller has, may land until it expires. */
  private async afterTransfer(payment: Payment, charge: Charge): Promise<Payment | undefined> {
    // The height first: what has not landed by then cannot land later.
    const expiredAt = await this.chain.orders.expiredAt(Number(payment.lastValidBlockHeight));
    const account = await this.accounts.findEver(charge.operatorId, charge.accountId);
    const hasLanded = await this.handed.settleFollowed(charge, account, expiredAt ?? Number(account.observedSlot));
    if (hasLanded) return this.payments.find(payment.id);
    return expiredAt === undefined ? undefined : this.store.refuse(payment, notTaken(payment));
  }

  /** The order of the payment's charge; undefined if it was never stored, and for a payment by direct transfer. */
  async chargeOf({ orderId }: Payment): Promise<Charge | undefined> {
    const order = orderId === null ? undefined : await this.orderReader.findIfStored(orderId);
    return order?.kind === 'charge' ? asCharge(order) : undefined;
  }

  /** Stores the provider's answer, and the outcome if the chain shows it within `waitMs`. It is `unknown` until then. */
  async conclude(payment: Payment, answer: SealedAnswer | null, receipt: string | null, waitMs: number): Promise<Payment> {
    const kept = answer ? await this.payments.keepAnswer(payment, answer, receipt) : payment;
    const deadline = performance.now() + waitMs;
    for (let current = kept; current?.status === 'unknown'; current = await this.payments.find(payment.id)) {
      const looked = current;
      const concluded = await this.attempt(looked, () => this.advance(looked));
      if (concluded) return concluded;
      if (performance.now() > deadline) break;
      await setTimeout(LANDING_POLL_MS);
    }
    await this.payments.release(payment.id);
    return this.payments.find(payment.id);
  }

  /** Ends the charge now, because the provider refused the credential: nothing can land afterwards. */
  async endRefused(payment: Payment, answer: SealedAnswer): Promise<Payment> {
    const kept = (await this.payments.keepAnswer(payment, answer, null)) ?? (await this.payments.find(payment.id));
    const charge = await this.chargeOf(kept);
    if (kept.status !== 'unknown' || charge?.status !== 'settled') return kept;
    const account = await this.accounts.findEver(charge.operatorId, charge.accountId);
    const ended = await this.attempt(kept, () => this.finish(kept, charge, account));
    if (!ended) await this.payments.release(payment.id);
    return ended ?? kept;
  }

  /** Continues a payment after a crash. Without a credential, what was approved is revoked. */
  async resume(payment: Payment): Promise<Payment> {
    if (payment.status === 'unknown') await this.attempt(payment, () => this.advance(payment));
    if (payment.status === 'created') await this.attempt(payment, () => this.abandon(payment));
    return this.payments.find(payment.id);
  }

  /** Ends the charge and stores what its delegate moved: that is what was paid, whatever the provider says. */
  async finish(payment: Payment, charge: Charge, account: Account, hasLanded = false): Promise<Payment> {
    const finished = await this.endings.revoke(charge, account);
    if (hasLanded && finished.spent === 0n)
      throw new ChainUnavailableError(`a node shows that the payment of ${charge.id} landed, and its charge ended unused`);
    const paid = await this.endings.paidBy(payment, charge, account, { finished, hasLanded });
    const stored = paid ? this.store.settle(payment, charge, paid) : this.store.refuse(payment, notTaken(payment));
    return (await stored) ?? this.payments.find(payment.id);
  }

  /** The state of the provider's transaction: it has landed, may still land, or never can. */
  private async stateOf(payment: Payment, charge: Charge, account: Account): Promise<'landed' | 'open' | 'over'> {
    const { transactionSignature: signature, lastValidBlockHeight } = payment;
    if (lastValidBlockHeight === null) throw new Error(`${payment.id} has no last valid block height`);
    if (signature !== null) {
      const outcome = await this.chain.orders.lookUp({ signature, lastValidBlockHeight: Number(lastValidBlockHeight) });
      if (outcome.kind === 'landed') return 'landed';
      if (outcome.kind !== 'unknown') return 'over';
    } else {
      // The height first: what has not landed by then cannot land later.
      const hasExpired = await this.chain.charges.hasExpired(Number(lastValidBlockHeight));
      if (await this.transactions.first(account.usdcTokenAccount, spanOf(charge))) return 'landed';
      if (hasExpired) return 'over';
    }
    return (await this.isOpen(charge, account)) ? 'open' : 'over';
  }

  /**
   * Whether the delegate may still move the amount. A pause ends a charge, unless the token account is frozen: then it is ended here
   * as soon as that is possible. After its deadline anyone may end it.
   */
  private async isOpen(charge: Charge, { chainAddress, paused }: Account): Promise<boolean> {
    if (paused) return false;
    const open = (await this.chain.accounts.find(chainAddress))?.openCharge;
    return !!open && idBytes(charge.id).equals(open.chargeId) && open.deadline > (await this.chain.clock.now());
  }

  /** The accounts among these with a charge that began after a time. */
  underWay(accountIds: string[], since: Date): Promise<Set<string>> {
    return this.store.lockedSince(accountIds, since);
  }

  /** No credential was stored: what was approved is revoked, and the same key may pay again. */
  private async abandon(payment: Payment): Promise<void> {
    const charge = await this.chargeOf(payment);
    if (!(await this.release(payment))) return;
    const decline = charge && declineOf(await this.orderReader.find(charge.id));
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
  async release(payment: Payment): Promise<boolean> {
    const found = await this.chargeOf(payment);
    const charge = found && asCharge(await this.orders.current(found.id));
    if (charge?.status === 'created' || charge?.status === 'submitted') return false;
    if (charge?.status === 'pending_approval') await this.orders.deny(charge, null, UNAPPROVABLE);
    if (charge?.status === 'settled') {
      const account = await this.accounts.findEver(charge.operatorId, charge.accountId);
      const { spent } = await this.endings.revoke(charge, account);
      // A restored database may have lost the credential.
      if (spent !== 0n) await this.finish(payment, charge, account);
    }
    await this.store.unlock(payment);
    return true;
  }

  /** The chain may be unavailable or refuse: recovery asks again. */
  async attempt<T>({ id }: Payment, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.logger.warn(`the charge of ${id} is not over yet: ${chainFault(error).message}`);
      return undefined;
    }
  }
}

/** Why a payment is rejected whose credential did not land and never can. */
export function notTaken({ microUsdc, reversedAt }: Payment): StoredViolation {
  const message = reversedAt === null ? NOT_TAKEN : TAKEN_BACK;
  return { rule: 'provider_refused', message, attempted_usdc: formatUsdc(microUsdc) };
}
