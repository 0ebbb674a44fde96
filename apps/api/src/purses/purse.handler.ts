import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  Chain,
  ChainUnavailableError,
  type ApprovedCharge,
  type ChainAccount,
  type ChargeOrder,
  type LandedOrder,
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
  type ShownOrder,
  Restores,
  type SideEffects,
  withoutKeys,
} from '../orders';
import { AllowedHosts } from '../providers';
import { Purse, urlOf } from './purse.entity';
import { usualSeconds } from './purses.dto';
import { PurseEndings, sumOf } from './purse-endings';
import { endedBeforeItsRow, foundPurse, rejectionOf } from './purse-orders';
import { PurseStore } from './purse.store';

/** Orders that make the key of a purse the delegate of its amount. */
@Injectable()
export class PurseHandler implements OrderHandler, OnModuleInit {
  readonly kind = 'purse';

  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly store: PurseStore,
    private readonly endings: PurseEndings,
    private readonly handlers: OrderHandlers,
    private readonly restores: Restores,
    private readonly hosts: AllowedHosts,
  ) {}

  onModuleInit(): void {
    this.handlers.register(this);
  }

  async instruction(order: Order): Promise<OrderInstruction> {
    return this.instructionFor(await this.store.find(order.id));
  }

  /** The instruction that opens a purse, which may not be stored yet. */
  instructionFor(purse: Purse): OrderInstruction {
    return {
      facts: (account) => withoutKeys(onChain(purse, account, null)),
      simulate: async (account, approver, seq, minContextSlot) =>
        this.hosts.outcome(account, urlOf(purse)) ??
        this.chain.charges.simulateApproval(onChain(purse, account, approver), seq, minContextSlot),
      sign: (account, approver, seq) =>
        this.chain.charges.signApproval(onChain(purse, account, approver), seq, this.accounts.signers(account, approver)),
    };
  }

  /** A purse has an event when it is open. */
  initiated(): SideEffects {
    return {};
  }

  /** An opening moves no money. A backfilled purse has ended: what its delegate moved is recorded here. */
  async settled(order: Order, landed: Landed): Promise<SideEffects> {
    const approved = await this.approved(order, landed);
    if (order.source === 'request') {
      const purse = await this.store.find(order.id);
      const isCut = purse.cutAt !== null || (await this.restores.isBeforeLast(order.submittedAt));
      return this.store.opened(purse, landed, approved, isCut);
    }
    const account = await this.accounts.findEver(order.operatorId, order.accountId);
    const purse = lostPurse(order, landed, approved);
    const finished = await this.endings.finish(account, approved.seq);
    const { movements } = await this.endings.movements(purse, account, finished);
    return this.store.backfilled(purse, landed, approved, { finished, spent: sumOf(movements), unexplained: movements });
  }

  private async approved({ id, seq, operatorId, accountId }: Order, { signature, slot, isShownByState }: Landed): Promise<ApprovedCharge> {
    if (!isShownByState && signature !== null) return this.chain.charges.approved(signature, idBytes(id));
    const { chainAddress } = await this.accounts.findEver(operatorId, accountId);
    const [onChain] = await this.chain.accounts.findMany([chainAddress], slot);
    if (!onChain?.latestCharge || onChain.latestCharge.seq !== seq) throw new ChainUnavailableError(`a node does not show ${id}`);
    return onChain.latestCharge;
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

  /** A purse that the database has lost is ended first, because the database has none of its credentials: then its movements are final. */
  async backfill(landed: LandedOrder, account: Account): Promise<FoundOrder | undefined> {
    if (landed.delegate === null) return undefined;
    await endedBeforeItsRow(this.endings.finish(account, landed.seq));
    return foundPurse(this.kind, landed, account, landed.delegate);
  }

  async declined(order: Order, reason: string): Promise<SideEffects> {
    return rejectionOf(order, reason);
  }

  escalated(order: Order, thresholdMicroUsdc: bigint, expiresAt: Date): SideEffects {
    return escalationOf(order, { purse_id: order.id }, thresholdMicroUsdc, expiresAt);
  }
}

function onChain(purse: Purse, account: Account, approver: Signer | null): ChargeOrder {
  return {
    ...addressesOf(account),
    chargeId: idBytes(purse.id),
    microUsdc: purse.microUsdc,
    category: purse.category,
    delegate: purse.delegateKey,
    expiresInSeconds: purse.expiresInSeconds,
    purse: true,
    authority: account.authorityKey,
    approvedBy: approver?.address ?? null,
  };
}

/** The facts that the chain shows of a purse that has no row. The seconds that were asked for are those from its block to its deadline. */
function lostPurse(order: Order, { signature: openSignature, landedAt }: Landed, { deadline }: ApprovedCharge): Purse {
  const { id, operatorId, accountId, category, microUsdc, delegateKey, createdAt } = order;
  const seconds = landedAt ? Math.round((deadline.getTime() - landedAt.getTime()) / 1000) : usualSeconds('allowance');
  return Object.assign(new Purse(), {
    kind: 'allowance',
    sweptMicroUsdc: 0n,
    recordedMicroUsdc: 0n,
    id,
    operatorId,
    accountId,
    category,
    microUsdc,
    delegateKey: delegateKey ?? '',
    expiresInSeconds: Math.max(1, seconds),
    openSignature,
    ...UNREFERENCED,
    createdAt,
  });
}
