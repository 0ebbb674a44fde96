import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Chain, ChainRefusedError, type DirectTransferOrder } from '#chain';
import { idBytes } from '#database';
import { type Account, addressesOf, AccountsService } from '../../../accounts';
import { ChainUnavailable } from '../../../http/domain.errors';
import {
  Backfill,
  hashOfMemo,
  type Order,
  OrderDrafts,
  OrderForecasts,
  type OrderInstruction,
  type Simulated,
  withoutKeys,
} from '../../../orders';
import type { Payment } from '../../payment.entity';
import type { Funding } from '../payment-method';
import { Declined } from '../../payments.errors';
import type { X402Quote } from '../../quotes/x402';
import { ChargeApproval } from '../charge/charge-approval';
import { idsWith, newIdWith } from '../charge/charge-order';

/** Hexadecimal characters of a memo that the seller does not choose are twice as many. */
const MEMO_BYTES = 16;
const UNPAYABLE =
  'What the seller asks for would fail on chain: its payee has no USDC token account or cannot receive, or its memo is too long.';

/** A direct transfer that is not signed yet. */
export interface PreparedTransfer {
  draft: Order;
  simulated: Simulated;
}

/** The orders of direct transfers: their drafts, their simulation, and those that a restored database has lost. */
@Injectable()
export class DirectTransfers {
  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly orderDrafts: OrderDrafts,
    private readonly backfill: Backfill,
    private readonly forecasts: OrderForecasts,
    private readonly approval: ChargeApproval,
  ) {}

  /** The transfer of a payment, simulated as it would be sent. Nothing is stored. @throws Declined; ChainUnavailable */
  async prepare(payment: Payment, { account, caller }: Pick<Funding, 'account' | 'caller'>, quote: X402Quote): Promise<PreparedTransfer> {
    const { payee, microUsdc, category, requirements } = quote;
    if (payee === account.chainAddress) throw Declined.because('recipient_mismatch', 'The provider asks the account to pay itself.');
    const destination = this.chain.directTransfers.destinationOf(payee);
    const draft = await this.orderDrafts.draft({
      id: newIdWith('tr', await this.approval.digest(payment)),
      kind: 'direct_transfer',
      operatorId: payment.operatorId,
      accountId: account.id,
      requestHash: createHash('sha256')
        .update(JSON.stringify([payment.id, payee, microUsdc.toString(), category]))
        .digest(),
      payee,
      destination,
      destinationAccountId: await this.accounts.idOfTokenAccount(destination),
      microUsdc,
      category,
      memo: requirements.memo ?? randomBytes(MEMO_BYTES).toString('hex'),
      byAgent: caller.type === 'agent',
    });
    const instruction = this.instruction(draft, requirements);
    this.requireFeePayer(draft, account, requirements);
    const simulated = await this.forecasts.simulate(draft, account, instruction);
    if (!simulated) throw new ChainUnavailable();
    const { outcome } = simulated;
    if (outcome.kind === 'violation') throw new Declined(await this.forecasts.describe(outcome.violation, draft));
    if (outcome.kind === 'failed') throw Declined.because('challenge_invalid', UNPAYABLE);
    return { draft, simulated };
  }

  /** The transfer by which this request was paid before the database was restored, backfilled since. @throws ChainUnavailableError */
  async paidBefore(payment: Payment, account: Account): Promise<Order | undefined> {
    await this.backfill.compareOnce(account);
    return this.backfill.writtenWithin(idsWith('tr', await this.approval.digest(payment)), account.id);
  }

  private instruction(order: Order, requirements: X402Quote['requirements']): OrderInstruction {
    const { directTransfers } = this.chain;
    return {
      facts: (account) => withoutKeys(onChain(order, account, requirements)),
      simulate: (account, _approver, seq, minContextSlot) =>
        directTransfers.simulate(onChain(order, account, requirements), seq, minContextSlot),
      sign: (account, _approver, seq) => directTransfers.sign(onChain(order, account, requirements), seq, this.accounts.authority(account)),
    };
  }

  private requireFeePayer(order: Order, account: Account, requirements: X402Quote['requirements']): void {
    try {
      this.chain.directTransfers.checkFeePayer(onChain(order, account, requirements));
    } catch (error) {
      if (!(error instanceof ChainRefusedError)) throw error;
      throw Declined.because('challenge_invalid', `What the seller asks for cannot be built: ${error.message}.`);
    }
  }
}

function onChain(order: Order, account: Account, { feePayer, recentBlockhash }: X402Quote['requirements']): DirectTransferOrder {
  const { destination, memo, memoSalt } = order;
  if (destination === null || memo === null || memoSalt === null) throw new Error(`${order.id} is no direct transfer`);
  return {
    ...addressesOf(account),
    destination,
    transferId: idBytes(order.id),
    microUsdc: order.microUsdc,
    category: order.category,
    memoHash: hashOfMemo(memo, memoSalt),
    authority: account.authorityKey,
    approvedBy: null,
    feePayer,
    memo,
    recentBlockhash: recentBlockhash ?? null,
  };
}
