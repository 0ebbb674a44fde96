import { Injectable } from '@nestjs/common';
import type { Account } from '../../accounts';
import { Backfill, Restores } from '../../orders';
import { PurseStore } from '../../purses';
import { SessionReader } from '../../sessions';
import { ChargeApproval } from '../methods/charge/charge-approval';
import { ChannelFunding } from '../methods/channel/channel-funding';
import { DirectTransfers } from '../methods/transfer/direct-transfers';
import type { Funding } from '../methods/payment-method';
import type { Payment } from '../payment.entity';
import { MayBePaid } from '../payments.errors';

/**
 * Payments that may have been made before the database was restored. The chain shows charges, direct transfers and the channel purses that
 * payments made for themselves; it does not show the payments of a session or a purse by themselves. So while an idempotency key of that
 * time may be in use, a payment that does not name its session or purse is refused if one that was cut may have paid it.
 */
@Injectable()
export class RepeatedPayments {
  constructor(
    private readonly restores: Restores,
    private readonly backfill: Backfill,
    private readonly sessions: SessionReader,
    private readonly purses: PurseStore,
    private readonly approval: ChargeApproval,
    private readonly transfers: DirectTransfers,
    private readonly channels: ChannelFunding,
  ) {}

  /** @throws MayBePaid; ChainUnavailableError */
  async requireNew(payment: Payment, { account, session, purse }: Funding): Promise<void> {
    // A session or a purse that is open was opened after the restore, so that the request that names it is from after it too.
    if (session !== null || purse !== null || !(await this.restores.isRecent())) return;
    await this.backfill.compareOnce(account);
    if (await this.approval.paidBefore(payment, account)) return;
    if (await this.transfers.paidBefore(payment, account)) return;
    if (await this.channels.paidBefore(payment, account)) return;
    const { accountId, provider } = payment;
    const cut = (await this.sessions.cutWith(accountId, provider)) ?? (await this.purses.cutFor(accountId, new URL(provider).host));
    if (cut) throw new MayBePaid(cut.id);
  }

  /** Whether a direct transfer that the database had lost paid it: then no other way to pay is taken. @throws ChainUnavailableError */
  async isPaidByTransfer(payment: Payment, account: Account): Promise<boolean> {
    return (await this.restores.isRecent()) && (await this.transfers.paidBefore(payment, account)) !== undefined;
  }

  /** Whether a channel purse that the database had lost paid it: then no other way to pay is taken. @throws ChainUnavailableError */
  async isPaidByChannel(payment: Payment, account: Account): Promise<boolean> {
    return (await this.restores.isRecent()) && (await this.channels.paidBefore(payment, account)) !== undefined;
  }

  /** Whether a charge that the database had lost paid it: then no other way to pay is taken. @throws ChainUnavailableError */
  async isPaidByCharge(payment: Payment, account: Account): Promise<boolean> {
    return (await this.restores.isRecent()) && (await this.approval.paidBefore(payment, account)) !== undefined;
  }
}
