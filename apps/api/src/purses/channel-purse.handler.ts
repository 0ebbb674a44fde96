import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  Chain,
  type ChainAccount,
  ChainUnavailableError,
  type ChannelPurseOrder,
  type FundedChannelPurse,
  type LandedOrder,
  type PurseName,
  type Signer,
} from '#chain';
import { idBytes } from '#database';
import { type Account, addressesOf, AccountsService } from '../accounts';
import { escalationOf } from '../allowances';
import { UNREFERENCED } from '../lists/references';
import {
  type FoundOrder,
  type Landed,
  type Order,
  type OrderHandler,
  OrderHandlers,
  type OrderInstruction,
  Restores,
  type ShownOrder,
  type SideEffects,
  withoutKeys,
} from '../orders';
import { AllowedHosts } from '../providers';
import { Purse, urlOf } from './purse.entity';
import { PurseKeys } from './purse-keys';
import { endedBeforeItsRow, foundPurse, rejectionOf } from './purse-orders';
import { PurseStore } from './purse.store';
import { MAX_CHANNEL_PURSE_SECONDS } from './purses.dto';

/** Orders that move the amount of a channel purse to its key. */
@Injectable()
export class ChannelPurseHandler implements OrderHandler, OnModuleInit {
  readonly kind = 'channel_purse';

  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly purses: PurseStore,
    private readonly keys: PurseKeys,
    private readonly handlers: OrderHandlers,
    private readonly restores: Restores,
    private readonly hosts: AllowedHosts,
  ) {}

  onModuleInit(): void {
    this.handlers.register(this);
  }

  async instruction(order: Order): Promise<OrderInstruction> {
    return this.instructionFor(await this.purses.find(order.id));
  }

  /** The instruction that funds a purse, which may not be stored yet. */
  instructionFor(purse: Purse): OrderInstruction {
    return {
      facts: (account) => withoutKeys(onChain(purse, account, null)),
      simulate: async (account, approver, seq, minContextSlot) =>
        this.hosts.outcome(account, urlOf(purse)) ??
        this.chain.channels.simulateFunding(onChain(purse, account, approver), seq, minContextSlot),
      sign: (account, approver, seq) =>
        this.chain.channels.signFunding(onChain(purse, account, approver), seq, [
          ...this.accounts.signers(account, approver),
          this.keys.of(purse),
        ]),
    };
  }

  initiated(): SideEffects {
    return {};
  }

  /** A funding is no record: what lies in a purse is the account's. A backfilled one has ended, and what it spent is recorded. */
  async settled(order: Order, landed: Landed): Promise<SideEffects> {
    const funded = await this.funded(order, landed);
    if (order.source === 'request') {
      const purse = await this.purses.find(order.id);
      const isCut = purse.cutAt !== null || (await this.restores.isBeforeLast(order.submittedAt));
      const { event, ...effects } = this.purses.opened(purse, landed, funded, isCut);
      return purse.paymentId === null ? { ...effects, event } : effects;
    }
    const account = await this.accounts.findEver(order.operatorId, order.accountId);
    const finished = await this.finish(account, { account: account.chainAddress, seq: funded.seq, key: order.delegateKey ?? '' });
    const { spent } = finished;
    const lost = lostPurse(order, landed, funded, spent);
    const unexplained = spent === 0n ? [] : [{ signature: null, microUsdc: spent }];
    return this.purses.backfilled(lost, landed, funded, { finished, spent, unexplained });
  }

  private async funded(
    { id, seq, operatorId, accountId }: Order,
    { signature, slot, isShownByState }: Landed,
  ): Promise<FundedChannelPurse> {
    if (!isShownByState && signature !== null) return this.chain.channels.funded(signature, idBytes(id));
    const { chainAddress: account } = await this.accounts.findEver(operatorId, accountId);
    const purse = seq === null ? null : await this.chain.channels.purse({ account, seq }, slot);
    if (!purse) throw new ChainUnavailableError(`a node does not show ${id}`);
    return purse;
  }

  /** The purse has an account of its own on chain until it is closed. */
  async shown({ id, seq }: Order, { chainAddress: account }: Account, _onChain: ChainAccount): Promise<ShownOrder | undefined> {
    const purse = seq === null ? null : await this.chain.channels.purse({ account, seq });
    return purse && idBytes(id).equals(purse.purseId) ? { isProven: true, microUsdc: 0n } : undefined;
  }

  /** It is not funded again: the job finds it without an account on chain, and ends it. */
  async reversed(): Promise<undefined> {
    return undefined;
  }

  /** A purse that the database has lost is finished first, because the database does not have its key: what is missing then is spent. */
  async backfill(landed: LandedOrder, account: Account): Promise<FoundOrder | undefined> {
    if (landed.delegate === null) return undefined;
    await this.finish(account, { account: account.chainAddress, seq: landed.seq, key: landed.delegate });
    return foundPurse(this.kind, landed, account, landed.delegate);
  }

  private async finish(account: Account, name: PurseName) {
    const current = await this.accounts.withCurrentKeys(account);
    return endedBeforeItsRow(this.chain.channels.finish(name, current ? this.accounts.authority(current) : null));
  }

  /** The decline of a purse that a payment made for itself is the payment's. */
  async declined(order: Order, reason: string): Promise<SideEffects> {
    return order.idempotencyKey === null ? {} : rejectionOf(order, reason);
  }

  /** A payment's own purse is declined instead: no operator is asked. */
  escalated(order: Order, thresholdMicroUsdc: bigint, expiresAt: Date): SideEffects {
    return order.idempotencyKey === null ? {} : escalationOf(order, { purse_id: order.id }, thresholdMicroUsdc, expiresAt);
  }
}

function onChain(purse: Purse, account: Account, approver: Signer | null): ChannelPurseOrder {
  return {
    ...addressesOf(account),
    purseId: idBytes(purse.id),
    microUsdc: purse.microUsdc,
    category: purse.category,
    key: purse.delegateKey,
    expiresInSeconds: purse.expiresInSeconds,
    authority: account.authorityKey,
    approvedBy: approver?.address ?? null,
  };
}

/** The facts that the chain shows of a purse that has no row. What it spent is recorded with it. */
function lostPurse(order: Order, { signature: openSignature, landedAt }: Landed, { deadline }: FundedChannelPurse, spent: bigint): Purse {
  const { id, operatorId, accountId, category, microUsdc, delegateKey, createdAt } = order;
  return Object.assign(new Purse(), {
    kind: 'channel',
    id,
    operatorId,
    accountId,
    category,
    microUsdc,
    sweptMicroUsdc: microUsdc - spent,
    recordedMicroUsdc: spent,
    delegateKey: delegateKey ?? '',
    expiresInSeconds: landedAt ? Math.max(1, Math.round((deadline.getTime() - landedAt.getTime()) / 1000)) : MAX_CHANNEL_PURSE_SECONDS,
    openSignature,
    ...UNREFERENCED,
    createdAt,
  });
}
