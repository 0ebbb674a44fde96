import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Chain, type LandedOrder, type Signer, type TransferOrder } from '#chain';
import { idBytes } from '#database';
import { type Account, addressesOf, AccountsService } from '../accounts';
import { LedgerService, type NewLedgerEntry } from '../ledger';
import { referenceMembers, referenceOf, UNREFERENCED } from '../lists/references';
import { formatUsdc } from '../money/usdc';
import {
  type FoundOrder,
  hashOfMemo,
  type Landed,
  type Order,
  type OrderHandler,
  OrderHandlers,
  type OrderInstruction,
  type ShownOrder,
  type SideEffects,
  withoutKeys,
} from '../orders';
import { asTransfer, type Transfer } from './transfer';

/** Orders that pay a token account. */
@Injectable()
export class TransferHandler implements OrderHandler, OnModuleInit {
  readonly kind = 'transfer';

  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly ledger: LedgerService,
    private readonly handlers: OrderHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register(this);
  }

  async instruction(order: Order): Promise<OrderInstruction> {
    const transfer = asTransfer(order);
    return {
      facts: (account) => withoutKeys(onChain(transfer, account, null)),
      simulate: (account, approver, seq, minContextSlot) =>
        this.chain.orders.simulateTransfer(onChain(transfer, account, approver), seq, minContextSlot),
      sign: (account, approver, seq) =>
        this.chain.orders.signTransfer(onChain(transfer, account, approver), seq, this.accounts.signers(account, approver)),
    };
  }

  initiated(order: Order, signature: string): SideEffects {
    const transfer = asTransfer(order);
    const data = { ...factsOf(transfer), to: transfer.recipient, tx_signature: signature };
    return { event: { ...ownerOf(transfer), type: 'transfer.initiated', data } };
  }

  async settled(order: Order, { signature, slot }: Landed, settledAt: Date): Promise<SideEffects> {
    const transfer = asTransfer(order);
    const resettled = order.reversedAt !== null && { resettled: true };
    const data = { ...factsOf(transfer), tx_signature: signature, settled_at: settledAt.toISOString(), ...resettled };
    return {
      event: { ...ownerOf(transfer), type: 'transfer.settled', data },
      entries: settlementEntries(await this.unlessRecorded(transfer, signature), {
        signature,
        settledAt,
        isWithinOperator: await this.isWithinOperator(transfer),
      }),
      slot,
    };
  }

  /** The nonce is the order's own; that its amount has left, the balance shows. */
  async shown({ microUsdc }: Order): Promise<ShownOrder> {
    return { isProven: false, microUsdc };
  }

  async reversed(order: Order): Promise<SideEffects> {
    const transfer = asTransfer(order);
    const data = { ...factsOf(transfer), tx_signature: order.signature ?? '' };
    return { event: { ...ownerOf(transfer), type: 'transfer.reversed', data }, companion: this.ledger.removalOfOrder() };
  }

  /** A transfer of an account that was found on chain may be in the payee's ledger already, as a deposit: then it is not its entry again. */
  private async unlessRecorded(transfer: Transfer, signature: string | null): Promise<Transfer> {
    const { source, destinationAccountId } = transfer;
    if (source !== 'backfill' || destinationAccountId === null || signature === null) return transfer;
    const recorded = await this.ledger.changesBy(destinationAccountId, [signature]);
    return recorded.has(signature) ? { ...transfer, destinationAccountId: null } : transfer;
  }

  /** Whether the account that is paid belongs to the payer's operator. An id or a handle names only such accounts. */
  private async isWithinOperator({ operatorId, recipient, destination, destinationAccountId }: Transfer): Promise<boolean> {
    if (destinationAccountId === null) return false;
    return recipient !== destination || (await this.accounts.findMany(operatorId, [destinationAccountId])).length > 0;
  }

  async backfill(landed: LandedOrder, account: Account): Promise<FoundOrder | undefined> {
    const { destination, microUsdc, category } = landed;
    if (destination === null) return undefined;
    const destinationAccountId = await this.accounts.idOfTokenAccount(destination);
    return {
      order: (id) => ({
        id,
        kind: this.kind,
        operatorId: account.operatorId,
        accountId: account.id,
        requestHash: Buffer.alloc(0),
        recipient: destination,
        destination,
        destinationAccountId,
        microUsdc,
        category,
      }),
    };
  }

  async declined(order: Order, reason: string): Promise<SideEffects> {
    const transfer = asTransfer(order);
    return {
      event: { ...ownerOf(transfer), type: 'transfer.rejected', data: { ...factsOf(transfer), rejection_reason: reason } },
      entries: [{ ...entryOf(transfer), type: 'rejection', rejectionReason: reason }],
    };
  }

  escalated(order: Order, thresholdMicroUsdc: bigint, expiresAt: Date): SideEffects {
    const transfer = asTransfer(order);
    const data = {
      ...factsOf(transfer),
      to: transfer.recipient,
      memo: transfer.memo,
      threshold_usdc: formatUsdc(thresholdMicroUsdc),
      expires_at: expiresAt.toISOString(),
    };
    return { event: { ...ownerOf(transfer), type: 'escalation.required', data } };
  }
}

function onChain(transfer: Transfer, account: Account, approver: Signer | null): TransferOrder {
  const { memo, memoSalt } = transfer;
  return {
    ...addressesOf(account),
    destination: transfer.destination,
    transferId: idBytes(transfer.id),
    microUsdc: transfer.microUsdc,
    category: transfer.category,
    memoHash: memoSalt === null ? null : hashOfMemo(memo, memoSalt),
    authority: account.authorityKey,
    approvedBy: approver?.address ?? null,
  };
}

function ownerOf({ operatorId, accountId }: Transfer) {
  return { operatorId, accountId };
}

function factsOf(transfer: Transfer) {
  const { id, accountId, microUsdc } = transfer;
  return { transfer_id: id, account_id: accountId, amount_usdc: formatUsdc(microUsdc), ...referenceMembers(transfer) };
}

function entryOf(transfer: Transfer) {
  const { id, accountId, microUsdc, memo, category } = transfer;
  const counterparty = counterpartyOf(transfer);
  const order = { orderId: id, transferId: id, ...referenceOf(transfer) };
  return { accountId, direction: 'out' as const, microUsdc, counterparty, memo, category, ...order };
}

/** The recipient as submitted: an account id or an address. A handle is recorded as the id of its account. */
function counterpartyOf({ recipient, destination, destinationAccountId }: Transfer): string {
  return recipient !== destination && destinationAccountId !== null ? destinationAccountId : recipient;
}

/**
 * One entry in the payer's ledger, and one in the payee's, if that is an account of this service. Another operator's entry names
 * neither the transfer nor its reference: they are the payer's.
 */
export function settlementEntries(
  transfer: Transfer,
  { signature, settledAt, isWithinOperator }: { signature: string | null; settledAt: Date; isWithinOperator: boolean },
): NewLedgerEntry[] {
  const { accountId, destinationAccountId } = transfer;
  const out = { ...entryOf(transfer), type: 'transfer' as const, signature, settledAt };
  if (destinationAccountId === null) return [out];
  const shared = isWithinOperator ? out : { ...out, transferId: null, ...UNREFERENCED };
  return [out, { ...shared, accountId: destinationAccountId, direction: 'in', counterparty: accountId }];
}
