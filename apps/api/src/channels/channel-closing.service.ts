import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Chain, ChainUnavailableError, type ChannelState, type PurseName } from '#chain';
import { type Account, AccountsService, HeldAmounts, type Holder, OpeningTimes } from '../accounts';
import { chainFault } from '../allowances';
import { JobsService } from '../jobs/jobs.service';
import { ChannelPurseStore, type Purse, PurseKeys, PurseStore } from '../purses';
import { Failpoints } from '../runtime/failpoints';
import { type Channel, termsOf } from './channel.entity';
import { ChannelStore } from './channel.store';
import { MppChannels } from './mpp-channels.service';

const EVERY_MS = 2_000;
const BATCH = 20;
/** How often a purse is looked at that has nothing to do. */
const LOOK_EVERY_MS = 4_000;
/** A purse that a payment made for itself, and that has no channel for so long, is ended: the payment stopped before it signed one. */
const UNUSED_MS = 5 * 60_000;
/** After a restore a purse may have channels that the database does not know: its key's account stays for so long after its deadline. */
const UNKNOWN_CHANNELS_MS = 8 * 24 * 60 * 60_000;

/**
 * Ends channel purses, and by force the channels that their sellers leave open. A purse is finished once its last channel is gone, or at its
 * deadline; its key's token account is closed only when no channel is left, because the rest of a channel returns there.
 */
@Injectable()
export class ChannelClosingService implements OnModuleInit, Holder {
  private readonly logger = new Logger('Channels');

  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly times: OpeningTimes,
    private readonly purses: PurseStore,
    private readonly store: ChannelPurseStore,
    private readonly channels: ChannelStore,
    private readonly mpp: MppChannels,
    private readonly keys: PurseKeys,
    private readonly amounts: HeldAmounts,
    private readonly jobs: JobsService,
    private readonly failpoints: Failpoints,
  ) {}

  onModuleInit(): void {
    this.amounts.register(this);
    this.jobs.register({ name: 'channel-purses', everyMs: EVERY_MS, run: () => this.endDue() });
  }

  /** Money in channel purses and their channels: the account's until it is recorded. */
  held(accountIds: string[], manager: EntityManager): Promise<Map<string, bigint>> {
    return this.store.held(accountIds, manager);
  }

  /**
   * Finishes a purse of which no credential is stored, or was lost in a restore. Returns what it spent, in micro-USDC.
   * @throws ChainRefusedError, ChainOutcomeUnknownError, ChainUnavailableError
   */
  async finishUnused(purse: Purse): Promise<bigint> {
    await this.purses.beginClosing(purse.id);
    const account = await this.accounts.findEver(purse.operatorId, purse.accountId);
    if (purse.status !== 'closed') await this.finish(purse, account, nameOf(purse, account));
    await this.store.release(purse.id, 0);
    return (await this.purses.find(purse.id)).spentMicroUsdc;
  }

  private async endDue(): Promise<void> {
    await Promise.all((await this.store.claim(BATCH)).map((purse) => this.attempt(purse)));
  }

  /** The chain may be unavailable or refuse: the job tries again. */
  private async attempt(purse: Purse): Promise<void> {
    try {
      await this.step(purse);
      await this.store.release(purse.id, LOOK_EVERY_MS);
    } catch (error) {
      const { message, pauseMs } = chainFault(error);
      this.logger.warn(`${purse.id} has not ended yet: ${message}`);
      await this.store.release(purse.id, pauseMs);
    }
  }

  private async step(purse: Purse): Promise<void> {
    const account = await this.accounts.findEver(purse.operatorId, purse.accountId);
    const name = nameOf(purse, account);
    const now = await this.chain.clock.now();
    const isStopped = await this.times.isStopped(account);
    if (purse.status === 'open' && (isStopped || (await this.isOver(purse, now)))) await this.purses.beginClosing(purse.id);
    const { status } = await this.purses.find(purse.id);
    const isEnding = isStopped || status !== 'open';
    const left = await this.advance(purse, isEnding, now);
    if (status === 'open') return;
    const state = await this.chain.channelPurses.purse(name, Number(account.observedSlot));
    if (!state) return this.endMissing(purse, account, name);
    await this.noteHome(purse.id, name, state.swept);
    if (!state.isFinished && left.length > 0 && now < state.deadline) return this.sweep(purse, account, name);
    const isLastGone = left.length === 0 && this.knowsChannels(purse, now);
    if (status === 'closing') return this.finish(purse, account, name, isLastGone);
    await this.sweep(purse, account, name);
    if (isLastGone) await this.gone(purse, account, name);
  }

  /** Whether an open purse is to be ended: at its deadline, used up, and one of a payment when its channel is gone, or was never signed. */
  private async isOver({ id, paymentId, openedAt, expiresAt, spentMicroUsdc, microUsdc }: Purse, now: Date): Promise<boolean> {
    if ((expiresAt !== null && expiresAt <= now) || spentMicroUsdc >= microUsdc) return true;
    const [channel] = paymentId === null ? [] : await this.channels.newest(id, 1);
    if (channel) return channel.status === 'closed';
    return paymentId !== null && openedAt !== null && now.getTime() - openedAt.getTime() > UNUSED_MS;
  }

  /** Whether every channel of the purse is known. A channel that was signed since the backup of a restored database is not. */
  private knowsChannels({ delegateKeySealed, cutAt, expiresAt }: Purse, now: Date): boolean {
    return (
      (delegateKeySealed !== null && cutAt === null) || (expiresAt !== null && now.getTime() > expiresAt.getTime() + UNKNOWN_CHANNELS_MS)
    );
  }

  /** Asks for the end of the channels that are due, and ends those whose grace period is over. Returns those that are not closed. */
  private async advance(purse: Purse, isEnding: boolean, now: Date): Promise<Channel[]> {
    const channels = await this.channels.unclosed(purse.id);
    const states = await this.chain.channels.find(channels.map(({ address }) => address));
    const left: Channel[] = [];
    for (const [index, channel] of channels.entries()) {
      const state = states[index] ?? null;
      if (state) await this.end(purse, channel, { state, isDue: isEnding || channel.closeAt <= now, now });
      // The payment of a channel for one call records it.
      const isOver = channel.paysBy === 'vouchers' && (await this.mpp.settle(purse, channel, state));
      if (!isOver) left.push(channel);
    }
    return left;
  }

  private async end(
    purse: Purse,
    channel: Channel,
    { state, isDue, now }: { state: ChannelState; isDue: boolean; now: Date },
  ): Promise<void> {
    const terms = termsOf(channel);
    await this.channels.open(channel);
    if (state.status !== 'open') await this.channels.beginClosing(channel);
    // The seller is asked first: it pays out at once.
    if (state.status === 'open' && isDue && (channel.paysBy === 'call' || (await this.channels.wantEnd(channel)))) {
      await this.chain.channels.requestClose(terms, this.keys.of(purse));
      await this.channels.beginClosing(channel);
      this.failpoints.pass('channel.close_requested');
    }
    const endsAt = state.closingAt && state.closingAt.getTime() + state.graceSeconds * 1000;
    if (state.status === 'sealed' || (state.status === 'closing' && endsAt !== null && endsAt <= now.getTime()))
      await this.chain.channels.sealAndDistribute(terms);
  }

  /** Moves home what lies there, also if the account's keys are no longer ours once the deadline is over. */
  private async sweep(purse: Purse, account: Account, name: PurseName): Promise<void> {
    if ((await this.chain.channelPurses.held(name.key, Number(account.observedSlot))) === 0n) return;
    const { slot } = await this.chain.channelPurses.sweep(name, await this.closerOf(account));
    this.failpoints.pass('channel.swept');
    await this.accounts.noteChange(account.id, slot);
    const state = await this.chain.channelPurses.purse(name, slot);
    if (state) await this.noteHome(purse.id, name, state.swept);
  }

  /** Stores what came home, if that is more than the row has. */
  private async noteHome(id: string, name: PurseName, swept: bigint): Promise<void> {
    const purse = await this.purses.find(id);
    if (swept > purse.sweptMicroUsdc) await this.store.swept(purse, swept, await this.chain.channelPurses.lastSweep(name));
  }

  /** Finishes a purse; if its last channel is gone, its key's token account is closed in the same transaction. */
  private async finish(purse: Purse, account: Account, name: PurseName, isLastGone = false): Promise<void> {
    const { channelPurses } = this.chain;
    const closer = await this.closerOf(account);
    const isClosed = isLastGone && closer !== null; // else the operator closes it
    const finished = isClosed ? await channelPurses.finishAndClose(name, closer) : await channelPurses.finish(name, closer);
    this.failpoints.pass('channel.finished');
    await this.accounts.noteChange(account.id, finished.slot);
    await this.store.finish(await this.purses.find(purse.id), finished);
    if (!isClosed) return;
    this.failpoints.pass('channel.gone');
    await this.noteGone(purse, name);
  }

  /** Closes the key's token account. The amount that came home is by the event of its end: money may have been sent to it at the last moment. */
  private async gone(purse: Purse, account: Account, name: PurseName): Promise<void> {
    const closer = await this.closerOf(account);
    if (closer === null) return; // the operator closes it
    await this.chain.channelPurses.close(name, closer);
    this.failpoints.pass('channel.gone');
    await this.noteGone(purse, name);
  }

  private async noteGone({ id }: Purse, name: PurseName): Promise<void> {
    const closed = await this.chain.channelPurses.closed(name);
    if (closed === null) throw new ChainUnavailableError(`no node shows the end of ${id} yet`);
    await this.store.gone(await this.purses.find(id), closed);
  }

  /** The chain shows no account of it: it was closed before this process died, or its funding was rolled back. */
  private async endMissing(purse: Purse, account: Account, name: PurseName): Promise<void> {
    const [finalized] = await this.chain.accounts.findMany([account.chainAddress], 0, 'finalized');
    if (finalized && !finalized.isNonceUsed(name.seq)) {
      if (purse.status !== 'closed') await this.store.finish(await this.purses.find(purse.id), { signature: null, slot: 0, spent: 0n });
      await this.store.gone(await this.purses.find(purse.id), { swept: purse.microUsdc, signature: null });
      return;
    }
    if (purse.status !== 'closed') await this.store.finish(await this.purses.find(purse.id), await this.chain.channelPurses.finished(name));
    await this.noteGone(purse, name);
  }

  private async closerOf(account: Account) {
    const current = await this.accounts.withCurrentKeys(account);
    return current ? this.accounts.authority(current) : null;
  }
}

function nameOf({ id, seq, delegateKey: key }: Purse, { chainAddress: account }: Account): PurseName {
  if (seq === null) throw new Error(`${id} was never funded`);
  return { account, seq, key };
}
