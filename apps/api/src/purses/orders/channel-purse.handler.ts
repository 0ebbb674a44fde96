import { Injectable } from '@nestjs/common';
import {
  Chain,
  ChainUnavailableError,
  type ChannelPurseOrder,
  type FinishedChannelPurse,
  type Signer,
  type SignedTransaction,
} from '#chain';
import { idBytes } from '#database';
import { type Account, AccountsService } from '../../accounts';
import { type Landed, type Order, OrderHandlers, type OrderOutcome, Restores, type ShownOrder, type SideEffects } from '../../orders';
import { AllowedHosts } from '../../providers';
import type { Purse } from '../purse.entity';
import { PurseKeys } from './purse-keys';
import { type LandedOpening, PurseOrderHandler } from './purse-order.handler';
import { endedBeforeItsRow, lostPurse, openingOf } from './purse-orders';
import { PurseStore } from '../store/purse.store';

/** Orders that move the amount of a channel purse to its key. */
@Injectable()
export class ChannelPurseHandler extends PurseOrderHandler<ChannelPurseOrder> {
  readonly kind = 'channel_purse';

  constructor(
    chain: Chain,
    accounts: AccountsService,
    store: PurseStore,
    private readonly keys: PurseKeys,
    handlers: OrderHandlers,
    restores: Restores,
    hosts: AllowedHosts,
  ) {
    super(chain, accounts, store, handlers, restores, hosts);
  }

  /** The purse has an account of its own on chain until it is closed. */
  async shown({ id, seq }: Order, { chainAddress: account }: Account): Promise<ShownOrder | undefined> {
    const purse = seq === null ? null : await this.chain.channelPurses.purse({ account, seq });
    return purse && idBytes(id).equals(purse.purseId) ? { isProven: true, microUsdc: 0n } : undefined;
  }

  /** Does not fund the purse again: the job finds no account of it on chain, and ends it. */
  async reversed(): Promise<undefined> {
    return undefined;
  }

  /** The decline of a purse that a payment made for itself is the payment's. */
  override async declined(order: Order, reason: string): Promise<SideEffects> {
    return order.idempotencyKey === null ? {} : super.declined(order, reason);
  }

  /** A payment's own purse is declined instead: no operator is asked. */
  override escalated(order: Order, thresholdMicroUsdc: bigint, expiresAt: Date): SideEffects {
    return order.idempotencyKey === null ? {} : super.escalated(order, thresholdMicroUsdc, expiresAt);
  }

  protected onChain(purse: Purse, account: Account, approver: Signer | null): ChannelPurseOrder {
    return { ...openingOf(purse, account, approver), purseId: idBytes(purse.id), key: purse.delegateKey };
  }

  protected simulate(opening: ChannelPurseOrder, seq: bigint, minContextSlot: number): Promise<OrderOutcome> {
    return this.chain.channelPurses.simulateFunding(opening, seq, minContextSlot);
  }

  protected sign(opening: ChannelPurseOrder, seq: bigint, signers: Signer[], purse: Purse): Promise<SignedTransaction> {
    return this.chain.channelPurses.signFunding(opening, seq, [...signers, this.keys.of(purse)]);
  }

  protected async opening({ id, seq, operatorId, accountId }: Order, { signature, slot, isShownByState }: Landed): Promise<LandedOpening> {
    if (!isShownByState && signature !== null) return this.chain.channelPurses.funded(signature, idBytes(id));
    const { chainAddress: account } = await this.accounts.findEver(operatorId, accountId);
    const purse = seq === null ? null : await this.chain.channelPurses.purse({ account, seq }, slot);
    if (!purse) throw new ChainUnavailableError(`a node does not show ${id}`);
    return purse;
  }

  /** The database does not have the key of the purse: what is missing when it is finished is spent. */
  protected async endLost(account: Account, seq: bigint, key: string): Promise<FinishedChannelPurse> {
    const current = await this.accounts.withCurrentKeys(account);
    const authority = current ? this.accounts.authority(current) : null;
    return endedBeforeItsRow(this.chain.channelPurses.finish({ account: account.chainAddress, seq, key }, authority));
  }

  protected async lost(order: Order, landed: Landed, opening: LandedOpening, account: Account) {
    const finished = await this.endLost(account, opening.seq, order.delegateKey ?? '');
    const { spent } = finished;
    const sums = { sweptMicroUsdc: order.microUsdc - spent, recordedMicroUsdc: spent };
    const purse = Object.assign(lostPurse(order, landed, opening, 'channel'), sums);
    return { purse, end: { finished, spent, unexplained: spent === 0n ? [] : [{ signature: null, microUsdc: spent }] } };
  }
}
