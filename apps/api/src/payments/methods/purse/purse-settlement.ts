import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Chain, type ChargeMovement, type ChargeMovements, ChainUnavailableError, isAway } from '#chain';
import { AccountsService } from '../../../accounts';
import { type Purse, PurseStore } from '../../../purses';
import type { Payment, SealedAnswer } from '../../payment.entity';
import { PaymentStore } from '../../payment.store';
import { notTaken } from '../charge/charge-settlement';
import type { Source } from './purse-bounds';
import { PursePaymentStore } from './purse-payment.store';

const LANDING_POLL_MS = 200;
/** Transactions whose movements stay in memory: what landed does not change. */
const MAX_CACHED_TRANSACTIONS = 10_000;

/** Finds out which payments of purses landed, by their delegates' signatures, and stores it. */
@Injectable()
export class PurseSettlement {
  private readonly logger = new Logger('Purses');
  private readonly movements = new LRUCache<string, ChargeMovement[]>({ max: MAX_CACHED_TRANSACTIONS });

  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly purses: PurseStore,
    private readonly store: PursePaymentStore,
    private readonly payments: PaymentStore,
  ) {}

  /** Whether a payment of the purse waits for its provider's answer in some process. */
  areInFlight({ id }: Purse): Promise<boolean> {
    return this.store.areInFlight(id);
  }

  /**
   * Settles the payments that these movements paid, and rejects the other unresolved ones if the movements are complete. Returns the
   * signatures that payments explain.
   */
  async conclude(purse: Purse, { movements, isComplete }: ChargeMovements): Promise<ReadonlySet<string>> {
    const bySignature = new Map(movements.map((movement) => [movement.delegateSignature, movement]));
    for (const payment of await this.store.unknown(purse.id)) {
      const movement = bySignature.get(payment.delegateSignature ?? '');
      if (movement) await this.store.settle(payment, purse, movement);
      else if (isComplete) await this.refuse(payment);
    }
    return this.store.signatures(purse.id);
  }

  /**
   * Settles the unresolved payments of an ended purse if together they are this amount, in micro-USDC, which left it in transactions that no
   * node has any more; rejects them if it is zero. Returns the rest of the amount, which they do not explain.
   */
  async concludeLost(purse: Purse, lostMicroUsdc: bigint): Promise<bigint> {
    const unknown = await this.store.unknown(purse.id);
    const all = unknown.reduce((sum, { microUsdc }) => sum + (microUsdc ?? 0n), 0n);
    if (lostMicroUsdc !== 0n && lostMicroUsdc !== all) return lostMicroUsdc;
    for (const payment of unknown)
      await (lostMicroUsdc === 0n
        ? this.refuse(payment)
        : this.store.settle(payment, purse, { signature: null, slot: null, microUsdc: payment.microUsdc ?? 0n }));
    return 0n;
  }

  /**
   * Stores the provider's answer, and the outcome if the chain shows it within `waitMs`. It is `unknown` until then. `claimed`: the
   * transaction that the provider says to have paid by.
   */
  async answered(
    payment: Payment,
    { answer, receipt, claimed }: { answer: SealedAnswer | null; receipt: string | null; claimed: string | null },
    { source, waitMs }: { source: Source | undefined; waitMs: number },
  ): Promise<Payment> {
    const kept = answer ? await this.payments.keepAnswer(payment, answer, receipt) : payment;
    const deadline = performance.now() + waitMs;
    for (let current = kept; current?.status === 'unknown'; current = await this.payments.find(payment.id)) {
      const concluded = await this.advance(current, claimed, source);
      if (concluded) return concluded;
      if (performance.now() > deadline) break;
      await setTimeout(LANDING_POLL_MS);
    }
    await this.payments.release(payment.id);
    return this.payments.find(payment.id);
  }

  /**
   * The final payment, once the chain shows that it landed or never can; undefined until then, and while the chain is unavailable. `source`: what
   * paid, if it was read before; of its facts those count that never change.
   */
  async advance(payment: Payment, claimed: string | null = null, source?: Source): Promise<Payment | undefined> {
    try {
      const { purse, account } = source ?? (await this.sourceOf(payment));
      const { usdcTokenAccount } = account;
      const named = claimed === null ? undefined : ofPayment(payment, await this.movementsIfShown(purse, usdcTokenAccount, claimed));
      if (named) return await this.store.settle(payment, purse, named);
      // The height first: what has not landed by then cannot land later.
      const hasExpired = await this.chain.charges.hasExpired(Number(payment.lastValidBlockHeight));
      const { movement, isComplete } = await this.landing(payment, purse, usdcTokenAccount);
      if (movement) return await this.store.settle(payment, purse, movement);
      // The end of the purse shows what no node shows any more.
      return hasExpired && isComplete ? await this.refuse(payment) : undefined;
    } catch (error) {
      if (!isAway(error)) throw error;
      this.logger.warn(`the outcome of ${payment.id} is not known yet: ${error.message}`);
      return undefined;
    }
  }

  private async sourceOf({ purseId }: Payment): Promise<Source> {
    const purse = await this.purses.find(purseId ?? '');
    return { purse, account: await this.accounts.findEver(purse.operatorId, purse.accountId) };
  }

  private refuse(payment: Payment): Promise<Payment | undefined> {
    return this.store.refuse(payment, notTaken(payment));
  }

  /** The movement of a payment's own transfer, in the transactions that name the delegate. */
  private async landing(payment: Payment, purse: Purse, tokenAccount: string): Promise<{ movement?: ChargeMovement; isComplete: boolean }> {
    const [{ signatures, isComplete }, known] = await Promise.all([
      this.chain.history.signaturesSince(purse.delegateKey, purse.openSignature),
      this.store.signatures(purse.id),
    ]);
    // The newest first: it is more often a payment that was just made.
    for (const signature of signatures.toReversed()) {
      const movement = known.has(signature) ? undefined : ofPayment(payment, await this.movementsIn(purse, tokenAccount, signature));
      if (movement) return { movement, isComplete };
    }
    return { isComplete };
  }

  /** None if the node does not have the transaction. */
  private async movementsIfShown(purse: Purse, tokenAccount: string, signature: string): Promise<ChargeMovement[]> {
    try {
      return await this.movementsIn(purse, tokenAccount, signature);
    } catch (error) {
      if (error instanceof ChainUnavailableError) return [];
      throw error;
    }
  }

  private async movementsIn({ delegateKey }: Purse, tokenAccount: string, signature: string): Promise<ChargeMovement[]> {
    const cached = this.movements.get(signature);
    if (cached) return cached;
    const movements = await this.chain.history.movedBy(delegateKey, tokenAccount, signature);
    this.movements.set(signature, movements);
    return movements;
  }
}

/** The movement of a payment's own transfer. */
function ofPayment(payment: Payment, movements: ChargeMovement[]): ChargeMovement | undefined {
  return movements.find(({ delegateSignature }) => delegateSignature === payment.delegateSignature);
}
