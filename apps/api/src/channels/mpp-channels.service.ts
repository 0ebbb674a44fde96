import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Chain, type ChannelState, type PaidChannel } from '#chain';
import { LedgerService } from '../ledger';
import { referenceOf } from '../lists/references';
import { runTransition } from '../persistence/transition';
import { ChannelPurseStore, type Purse } from '../purses';
import { Clock } from '../runtime/clock';
import { type Channel, termsOf } from './channel.entity';
import { ChannelStore } from './channel.store';

/** The end of MPP channels: what a channel paid in all is one record. */
@Injectable()
export class MppChannels {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly ledger: LedgerService,
    private readonly channels: ChannelStore,
    private readonly purses: ChannelPurseStore,
  ) {}

  /** Records a channel that is over, or can never be opened. Whether it is closed. @throws ChainUnavailableError */
  async settle(purse: Purse, channel: Channel, state: ChannelState | null): Promise<boolean> {
    const paid = await this.paidBy(channel, state);
    if (paid === undefined) return false;
    const { microUsdc, signature } = paid ?? { microUsdc: 0n, signature: null };
    const entry = {
      accountId: channel.accountId,
      type: 'session_settlement' as const,
      direction: 'out' as const,
      microUsdc,
      counterparty: channel.payee,
      category: purse.category,
      signature,
      purseId: purse.id,
      provider: channel.seller,
      ...referenceOf(purse),
      settledAt: this.clock.now(),
    };
    // A top-up that waits cannot land any more, or is a part of what comes back.
    const committed = channel.depositMicroUsdc + (channel.topUpMicroUsdc ?? 0n);
    const closed = await runTransition(this.database, this.channels.closed(channel, microUsdc), {
      companion: this.purses.paid({ purseId: purse.id, depositMicroUsdc: committed }, microUsdc),
      entries: microUsdc === 0n ? [] : this.ledger.rows([entry]),
    });
    return closed !== undefined;
  }

  /** The amount that a channel paid which is over; null if it never can be opened, undefined while it is open or may be. */
  private async paidBy(channel: Channel, state: ChannelState | null): Promise<PaidChannel | null | undefined> {
    const { channels, charges } = this.chain;
    if (state) return state.status === 'distributed' ? channels.paid(termsOf(channel), state.settled) : undefined;
    if (channel.status !== 'opening') return channels.paid(termsOf(channel), null);
    // The height first: what has not landed by then cannot land later.
    if (!(await charges.hasExpired(Number(channel.lastValidBlockHeight)))) return undefined;
    const [late] = await channels.find([channel.address]);
    return late ? undefined : channels.paid(termsOf(channel), null);
  }
}
