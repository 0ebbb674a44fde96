import { Injectable } from '@nestjs/common';
import { Chain, ChainUnavailableError, type SignedTransaction, type Spending } from '#chain';
import type { Sql } from '#database';
import { type Account, addressesOf } from '../../accounts';
import { ChainUnavailable } from '../../http/domain.errors';
import { Config } from '../../runtime/config';
import { Admission } from './admission';
import { Backfill } from '../backfill/backfill';
import { OrderExecutions } from '../processing/executions';
import { HandedOrderStore } from '../store/handed-order.store';
import type { Order } from '../order.entity';
import type { OrderOutcome } from '../order-handlers.service';
import type { Simulated } from '../processing/order-simulator';
import { OrderProcessor } from '../processing/order.processor';
import { OrderInsertions } from '../store/order-insertions';

/** A leased nonce may have grown old: the next one is new. */
const MAX_NONCES = 3;
const NO_NONCE = 'Too many transfers of this account are on their way. Nothing was signed: repeat the request with the same key.';

/** Orders whose signed transaction another party completes and sends: the facilitators of x402 sellers. */
@Injectable()
export class HandedOrders {
  constructor(
    private readonly config: Config,
    private readonly chain: Chain,
    private readonly processor: OrderProcessor,
    private readonly insertions: OrderInsertions,
    private readonly store: HandedOrderStore,
    private readonly executions: OrderExecutions,
    private readonly admission: Admission,
    private readonly backfill: Backfill,
  ) {}

  /**
   * Signs a simulated order under a nonce of its account and stores it as submitted; `keep` stores what was signed in the same statement, if
   * the order's row is `moved`. @throws ChainUnavailable, StorageFull: then nothing is stored.
   */
  async hand(draft: Order, simulated: Simulated, keep: (signed: SignedTransaction) => Sql): Promise<Order> {
    await this.admission.requireRoom({ isSent: false });
    for (let tries = 1; tries <= MAX_NONCES; tries++) {
      const signed = await this.processor.signNew(simulated);
      if (!signed) throw new ChainUnavailable();
      draft.handedUntil = BigInt(signed.transaction.lastValidBlockHeight);
      const stored = await this.insertions.insertSigned(draft, signed, { companion: keep(signed.transaction) });
      if (stored) return stored;
    }
    throw new ChainUnavailable(NO_NONCE);
  }

  /**
   * Places a simulated charge under the nonce of a direct transfer that its seller refused, so that at most one of the two lands. Returns the
   * charge as far as it came; undefined if the transfer is final. `held`: as `HandedOrderStore.takeOver` has it.
   */
  async takeOver(direct: Order, charge: Order, simulated: Simulated, held: Sql): Promise<Order | undefined> {
    const { seq } = direct;
    if (seq === null) throw new Error(`${direct.id} has no nonce`);
    await this.admission.requireRoom({ isSent: true });
    const { account, instruction, outcome } = simulated;
    const signed = { seq, transaction: await instruction.sign(account, null, seq) };
    const condition = this.admission.condition(charge, outcome);
    try {
      const stored = await this.store.takeOver(direct, charge, signed, { held, condition });
      return stored && (await this.executions.run(stored, this.config.SETTLEMENT_WAIT_MS, { ...simulated, signed }));
    } catch (error) {
      throw await this.admission.refusal(charge, error);
    }
  }

  /** The id of the charge that took over the nonce of a direct transfer; undefined if none did. */
  followerOf(id: string): Promise<string | undefined> {
    return this.store.followerOf(id);
  }

  /** Looks once whether a direct transfer has landed or can no longer land. Returns the order after it. */
  async look(direct: Order): Promise<Order> {
    return direct.status === 'submitted' ? this.executions.run(direct, 0) : direct;
  }

  /** Settles the direct transfer whose nonce a charge took over, if that has landed. @throws ChainUnavailableError */
  async settleFollowed({ seq }: Order, { chainAddress }: Account, minContextSlot: number): Promise<boolean> {
    const onChain = await this.chain.accounts.find(chainAddress, minContextSlot);
    if (seq === null || !onChain?.isNonceUsed(seq)) return false;
    const landed = await this.chain.history.findOrder(chainAddress, seq);
    if (!landed) throw new ChainUnavailableError(`the nonce ${seq} is used, and the history does not show by what yet`);
    await this.backfill.settle(landed);
    return true;
  }

  /** A simulation's outcome, if what may still land of the account's direct transfers counts as spent. The chain decides when they land. */
  async judged(order: Order, simulation: Promise<Simulated>): Promise<Simulated> {
    // Together: every order is judged, and hardly any account has such transfers.
    const [simulated, outstanding] = await Promise.all([simulation, this.store.outstanding(order.accountId, order.nonceOf)]);
    const { account, outcome } = simulated;
    if (outcome.kind !== 'allowed' || outstanding === 0n) return simulated;
    const spending = await this.chain.accounts.spending(addressesOf(account), Number(account.observedSlot));
    return { ...simulated, outcome: violationOf(order.microUsdc, outstanding, spending) ?? outcome };
  }
}

/** The first limit, in the program's order, into which an amount does not fit beside what is outstanding. */
function violationOf(attempted: bigint, outstanding: bigint, spending: Spending): OrderOutcome | undefined {
  const { limit, spent, monthly, lifetime, balance, policyVersion } = spending;
  const reserved = spending.reserved + outstanding;
  const limits = [
    { rule: 'max_daily_spend' as const, limit, spent },
    { rule: 'max_monthly_spend' as const, ...monthly },
    { rule: 'max_lifetime_spend' as const, ...lifetime },
  ];
  for (const one of limits) {
    if (one.limit === null || one.spent + reserved + attempted <= one.limit) continue;
    const remaining = one.limit > one.spent + reserved ? one.limit - one.spent - reserved : 0n;
    return { kind: 'violation', violation: { rule: one.rule, limit: one.limit, attempted, remaining, reserved, policyVersion } };
  }
  if (balance >= attempted + outstanding) return undefined;
  const remaining = balance > outstanding ? balance - outstanding : 0n;
  return { kind: 'violation', violation: { rule: 'insufficient_balance', attempted, remaining, policyVersion } };
}
