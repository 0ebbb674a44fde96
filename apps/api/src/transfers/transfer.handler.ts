import { createHmac } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Chain, type SignedTransaction, type Signer, type TransferOrder, type Verdict } from '#chain';
import { idBytes } from '#database';
import { type Account, AccountsService } from '../accounts';
import type { NewLedgerEntry } from '../ledger';
import { formatUsdc } from '../money/usdc';
import { type Landed, type Order, type OrderHandler, OrderHandlers, type SideEffects } from '../orders';

/** Orders that pay a token account at once. */
@Injectable()
export class TransferHandler implements OrderHandler, OnModuleInit {
  readonly name = 'transfer';

  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly handlers: OrderHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register(this);
  }

  judge(order: Order, account: Account, approver: Signer | null, seq: bigint, minContextSlot: number): Promise<Verdict> {
    return this.chain.judge(onChain(order, account, approver), seq, minContextSlot);
  }

  sign(order: Order, account: Account, approver: Signer | null, seq: bigint): Promise<SignedTransaction> {
    return this.chain.signTransfer(onChain(order, account, approver), seq, [
      this.accounts.authority(account),
      ...(approver ? [approver] : []),
    ]);
  }

  initiated(order: Order, signature: string): SideEffects {
    return {
      event: { ...ownerOf(order), type: 'transfer.initiated', data: { ...factsOf(order), to: order.recipient, tx_signature: signature } },
    };
  }

  async settled(order: Order, { signature, slot }: Landed, settledAt: Date): Promise<SideEffects> {
    const data = { ...factsOf(order), tx_signature: signature, settled_at: settledAt.toISOString() };
    return { event: { ...ownerOf(order), type: 'transfer.settled', data }, lines: settlementLines(order, signature, settledAt), slot };
  }

  declined(order: Order, reason: string): SideEffects {
    return {
      event: { ...ownerOf(order), type: 'transfer.rejected', data: { ...factsOf(order), rejection_reason: reason } },
      lines: [{ ...lineOf(order), type: 'rejection', signature: null, rejectionReason: reason, settledAt: null }],
    };
  }

  escalated(order: Order, thresholdMicroUsdc: bigint, expiresAt: Date): SideEffects {
    const data = {
      ...factsOf(order),
      to: order.recipient,
      memo: order.memo,
      threshold_usdc: formatUsdc(thresholdMicroUsdc),
      expires_at: expiresAt.toISOString(),
    };
    return { event: { ...ownerOf(order), type: 'escalation.required', data } };
  }
}

function onChain(order: Order, account: Account, approver: Signer | null): TransferOrder {
  const { memo, memoSalt } = order;
  const hasMemo = memo !== null && memo.trim() !== '' && memoSalt !== null;
  return {
    address: account.chainAddress,
    tokenAccount: account.usdcTokenAccount,
    destination: order.destination,
    transferId: idBytes(order.id),
    microUsdc: order.microUsdc,
    category: order.category,
    memoHash: hasMemo ? createHmac('sha256', memoSalt).update(memo).digest() : null,
    authority: account.authorityKey,
    approvedBy: approver?.address ?? null,
  };
}

function ownerOf({ operatorId, accountId }: Order) {
  return { operatorId, accountId };
}

function factsOf({ id, accountId, microUsdc }: Order) {
  return { transfer_id: id, account_id: accountId, amount_usdc: formatUsdc(microUsdc) };
}

function lineOf({ id, accountId, microUsdc, recipient, memo, category }: Order) {
  return { accountId, direction: 'out' as const, microUsdc, counterparty: recipient, memo, category, transferId: id, sessionId: null };
}

/** A line for who paid, and one for who received, where that is an account of this service. */
function settlementLines(order: Order, signature: string, settledAt: Date): NewLedgerEntry[] {
  const out = { ...lineOf(order), type: 'transfer' as const, signature, rejectionReason: null, settledAt };
  const { accountId, destinationAccountId } = order;
  return destinationAccountId === null
    ? [out]
    : [out, { ...out, accountId: destinationAccountId, direction: 'in', counterparty: accountId }];
}
