import { Injectable } from '@nestjs/common';
import { Chain, ChainUnavailableError, type ChainAccount, type ChargeOrder, type Signer, type SignedTransaction } from '#chain';
import { idBytes } from '#database';
import { type Account, AccountsService } from '../../accounts';
import { type Landed, type Order, OrderHandlers, type OrderOutcome, Restores, type ShownOrder, type SideEffects } from '../../orders';
import { AllowedHosts } from '../../providers';
import type { Purse } from '../purse.entity';
import { PurseEndings, sumOf } from '../closing/purse-endings';
import { type LandedOpening, PurseOrderHandler } from './purse-order.handler';
import { endedBeforeItsRow, lostPurse, openingOf } from './purse-orders';
import { PurseStore } from '../store/purse.store';

/** Orders that make the key of a purse the delegate of its amount. */
@Injectable()
export class PurseHandler extends PurseOrderHandler<ChargeOrder> {
  readonly kind = 'purse';

  constructor(
    chain: Chain,
    accounts: AccountsService,
    store: PurseStore,
    private readonly endings: PurseEndings,
    handlers: OrderHandlers,
    restores: Restores,
    hosts: AllowedHosts,
  ) {
    super(chain, accounts, store, handlers, restores, hosts);
  }

  /** The account shows its charge, open or not, until the next one. */
  async shown({ id }: Order, _account: Account, { latestCharge }: ChainAccount): Promise<ShownOrder | undefined> {
    return latestCharge && idBytes(id).equals(latestCharge.chargeId) ? { isProven: true, microUsdc: 0n } : undefined;
  }

  /** A purse that has ended since is opened again only to be ended again. */
  async reversed(order: Order): Promise<SideEffects> {
    const purse = await this.store.find(order.id);
    const current = purse.status === 'closed' ? ((await this.store.reverseEnd(purse)) ?? purse) : purse;
    const { event, ...effects } = this.store.openingReversed(current);
    return current === purse ? { ...effects, event } : effects;
  }

  protected onChain(purse: Purse, account: Account, approver: Signer | null): ChargeOrder {
    return { ...openingOf(purse, account, approver), chargeId: idBytes(purse.id), delegate: purse.delegateKey, purse: true };
  }

  protected simulate(opening: ChargeOrder, seq: bigint, minContextSlot: number): Promise<OrderOutcome> {
    return this.chain.charges.simulateApproval(opening, seq, minContextSlot);
  }

  protected sign(opening: ChargeOrder, seq: bigint, signers: Signer[]): Promise<SignedTransaction> {
    return this.chain.charges.signApproval(opening, seq, signers);
  }

  protected async opening({ id, seq, operatorId, accountId }: Order, { signature, slot, isShownByState }: Landed): Promise<LandedOpening> {
    if (!isShownByState && signature !== null) return this.chain.charges.approved(signature, idBytes(id));
    const { chainAddress } = await this.accounts.findEver(operatorId, accountId);
    const [onChain] = await this.chain.accounts.findMany([chainAddress], slot);
    if (!onChain?.latestCharge || onChain.latestCharge.seq !== seq) throw new ChainUnavailableError(`a node does not show ${id}`);
    return onChain.latestCharge;
  }

  protected endLost(account: Account, seq: bigint): Promise<unknown> {
    return endedBeforeItsRow(this.endings.finish(account, seq));
  }

  protected async lost(order: Order, landed: Landed, opening: LandedOpening, account: Account) {
    const purse = lostPurse(order, landed, opening, 'allowance');
    const finished = await this.endings.finish(account, opening.seq);
    const { movements } = await this.endings.movements(purse, account, finished);
    return { purse, end: { finished, spent: sumOf(movements), unexplained: movements } };
  }
}
