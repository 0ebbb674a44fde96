import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Chain, type ChainAccount, ChainUnavailableError } from '#chain';
import { type Account, DepositsService, UnexplainedAmounts, type Unresolved, type UnresolvedFinder } from '../../accounts';
import type { Order } from '../order.entity';
import { type Landed, OrderHandlers, type ShownOrder } from '../order-handlers.service';
import { OrderReader } from '../store/order-reader';
import { OrderStore } from '../store/order.store';
import { Restores } from './restores';

/** Kinds whose order moves no money by itself. */
const MOVES_NOTHING: readonly Order['kind'][] = ['charge', 'purse'];

/** Orders that landed by the state of the chain, if no node has their transactions any more. */
@Injectable()
export class ShownOrders implements OnModuleInit, UnresolvedFinder {
  constructor(
    private readonly chain: Chain,
    private readonly store: OrderStore,
    private readonly orders: OrderReader,
    private readonly handlers: OrderHandlers,
    private readonly deposits: DepositsService,
    private readonly amounts: UnexplainedAmounts,
    private readonly restores: Restores,
  ) {}

  onModuleInit(): void {
    this.amounts.register(this);
  }

  /**
   * An order whose attempts have all expired, as landed, if the finalized state shows that. Undefined if it does not, and while a node has an
   * attempt. Of several attempts nothing shows which one landed. @throws ChainUnavailableError
   */
  async landed(order: Order, account: Account): Promise<Landed | undefined> {
    const signatures = (await this.store.attempts(order.id)).map(({ signature }) => signature);
    if ((await this.chain.orders.finalities(signatures)).some((finality) => finality !== 'missing')) return undefined;
    const [finalized] = await this.chain.accounts.findMany([account.chainAddress], 0, 'finalized');
    const shown = await this.shown(order, account, finalized);
    if (!shown || !(shown.isProven || (await this.isExplained(order, account, shown)))) return undefined;
    const [signature = null, ...others] = signatures;
    return { signature: others.length === 0 ? signature : null, slot: Number(account.observedSlot), isShownByState: true };
  }

  /** The submitted orders of an account whose nonces are used, and the submitted transfers to it, which it may have received. */
  async unresolved(account: Account): Promise<Unresolved[]> {
    const arriving = await this.orders.submittedTo(account.id);
    return [...(await this.leaving(account)), ...arriving.map(({ id, microUsdc }) => ({ id, least: -microUsdc, most: 0n, held: 0n }))];
  }

  private async leaving(account: Account): Promise<Unresolved[]> {
    const submitted = await this.orders.submittedOf(account.id);
    if (submitted.length === 0) return [];
    const [onChain] = await this.chain.accounts.findMany([account.chainAddress], Number(account.observedSlot));
    const used = submitted.filter(({ seq }) => seq !== null && onChain?.isNonceUsed(seq));
    return Promise.all(used.map((order) => this.unresolvedOf(order, account, onChain)));
  }

  private async unresolvedOf(order: Order, account: Account, onChain: ChainAccount | null | undefined): Promise<Unresolved> {
    const { id, kind, microUsdc } = order;
    const shown = await this.shown(order, account, onChain);
    if (shown?.microUsdc === null) throw new ChainUnavailableError(`the outcome of ${id} is found first`);
    const most = shown?.microUsdc ?? (MOVES_NOTHING.includes(kind) ? 0n : microUsdc);
    // A nonce is one order's. A restored database may have given it to two.
    const isCertain = shown !== undefined && !(await this.restores.isBeforeLast(order.submittedAt));
    return { id, least: isCertain ? most : 0n, most, held: 0n };
  }

  private async shown(order: Order, account: Account, onChain: ChainAccount | null | undefined): Promise<ShownOrder | undefined> {
    const { seq } = order;
    if (seq === null || !onChain?.isNonceUsed(seq) || onChain.isNonceTooOld(seq)) return undefined;
    return this.handlers.of(order).shown(order, account, onChain);
  }

  private async isExplained({ id }: Order, account: Account, { microUsdc }: ShownOrder): Promise<boolean> {
    await this.deposits.readToEnd(account.id);
    return (await this.amounts.amountOf(id, account)) === microUsdc;
  }
}
