import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Chain, ChainUnavailableError, type FinishedCharge } from '#chain';
import { idBytes } from '#database';
import {
  type Account,
  AccountsService,
  DepositsService,
  UnexplainedAmounts,
  type Unresolved,
  type UnresolvedFinder,
} from '../../../accounts';
import { OrderReader } from '../../../orders';
import { Failpoints } from '../../../runtime/failpoints';
import type { Payment } from '../../payment.entity';
import type { Charge, PaidCharge } from './charge-order';
import { ChargeStore } from './charge.store';
import { ChargeTransactions } from './charge-transactions';

/** Ends charges on chain, and finds what their delegates moved. */
@Injectable()
export class ChargeEndings implements OnModuleInit, UnresolvedFinder {
  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly deposits: DepositsService,
    private readonly amounts: UnexplainedAmounts,
    private readonly orders: OrderReader,
    private readonly store: ChargeStore,
    private readonly transactions: ChargeTransactions,
    private readonly failpoints: Failpoints,
  ) {}

  onModuleInit(): void {
    this.amounts.register(this);
  }

  /**
   * Ends the charge on chain: its delegate can move nothing any more. Not signed by the account's authority if that is no longer ours.
   */
  async revoke(charge: Charge, account: Account): Promise<FinishedCharge> {
    const seq = await this.nonceOf(charge);
    const current = await this.accounts.withCurrentKeys(account);
    const authority = current ? this.accounts.authority(current) : null;
    const finished = await this.chain.charges
      .finish(account.chainAddress, seq, authority)
      .catch((error: unknown) => this.shownEnd(charge, seq, account, error));
    this.failpoints.pass('charge.finished');
    if (!idBytes(charge.id).equals(finished.chargeId)) throw new Error(`the charge ${charge.id} ended as another one`);
    await this.accounts.noteChange(charge.accountId, finished.slot);
    return finished;
  }

  /**
   * The amount that left the account by an ended charge: by the payment's own transaction if that landed, else by the delegate's transactions
   * in the history, or what the state shows if no node has those any more. @throws ChainUnavailableError
   */
  async paidBy(
    payment: Payment,
    charge: Charge,
    account: Account,
    { finished, hasLanded }: { finished: FinishedCharge; hasLanded: boolean },
  ): Promise<PaidCharge | undefined> {
    const { spent, signature: end } = finished;
    const { usdcTokenAccount: tokenAccount } = account;
    if (spent === 0n) return undefined;
    if (hasLanded) {
      const landed = (await this.ownLanding(payment)) ?? (await this.transactions.require(tokenAccount, spanOf(charge)));
      return { signature: landed.signature, slot: landed.slot, microUsdc: spent ?? charge.microUsdc };
    }
    const { movements, isComplete } = await this.chain.charges.movements({ tokenAccount, ...spanOf(charge), end });
    const [first] = movements;
    if (isComplete) return first && { ...first, microUsdc: movements.reduce((sum, { microUsdc }) => sum + microUsdc, 0n) };
    const microUsdc = finished.isExact && spent !== null ? spent : await this.unrecorded(payment, account);
    return microUsdc === 0n
      ? undefined
      : { signature: first?.signature ?? payment.transactionSignature, slot: first?.slot ?? null, microUsdc };
  }

  /** The transaction of the payment that was signed before it was sent; undefined for the others. */
  private async ownLanding({
    transactionSignature: signature,
    lastValidBlockHeight,
  }: Payment): Promise<Pick<PaidCharge, 'signature' | 'slot'> | undefined> {
    if (signature === null) return undefined;
    const outcome = await this.chain.orders.lookUp({ signature, lastValidBlockHeight: Number(lastValidBlockHeight) });
    return { signature, slot: outcome.kind === 'landed' ? outcome.slot : null };
  }

  /** The charges of an account that are not over: their delegates may have moved their amounts. */
  async unresolved({ id }: Account): Promise<Unresolved[]> {
    const payments = await this.store.locking(id);
    const orders = await Promise.all(payments.map(({ orderId }) => this.orders.findIfStored(orderId ?? '')));
    return payments.map((payment, index) => ({ id: payment.id, least: 0n, most: orders[index]?.microUsdc ?? 0n, held: 0n }));
  }

  /** @throws the error if the state of the chain does not show the end, or a node has the approval */
  private async shownEnd({ id, signature }: Charge, seq: bigint, account: Account, error: unknown): Promise<FinishedCharge> {
    if (!(error instanceof ChainUnavailableError)) throw error;
    const isPruned = signature === null || (await this.chain.orders.finalities([signature]))[0] === 'missing';
    const shown = isPruned ? await this.chain.charges.shownEnd(account.chainAddress, seq, idBytes(id)) : null;
    if (!shown) throw error;
    return shown;
  }

  private async unrecorded({ id }: Payment, account: Account): Promise<bigint> {
    await this.deposits.readToEnd(account.id);
    const amount = await this.amounts.amountOf(id, account);
    if (amount === undefined) throw new ChainUnavailableError(`no node has the payment ${id} any more, and the balance does not show it`);
    return amount;
  }

  /** The nonce of a landed approval. A backfilled order has none stored. */
  private async nonceOf({ id, seq, signature }: Charge): Promise<bigint> {
    if (seq !== null) return seq;
    const landed = (await this.chain.history.ordersIn(signature ?? '')).find(
      (each) => each.kind === 'charge' && each.id.equals(idBytes(id)),
    );
    if (!landed) throw new ChainUnavailableError(`the history does not show the charge ${id} yet`);
    return landed.seq;
  }
}

/** The delegate of a charge and the transaction that approved it. */
export function spanOf({ delegateKey: delegate, signature: approval }: Charge): { delegate: string; approval: string | null } {
  return { delegate, approval };
}
