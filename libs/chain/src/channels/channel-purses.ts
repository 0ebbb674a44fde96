/** Channel purses: the funding, and the way home of what lies in them. */
import { PublicKey } from '@solana/web3.js';
import { ChainRefusedError, ChainUnavailableError } from '../chain.errors';
import type { FleetOf } from '../accounts/fleet-of';
import type { ChainHistory } from '../history/history';
import type { Addresses } from '../program/addresses';
import { COMPUTE_UNITS } from '../program/compute-units';
import { toBigint } from '../program/idl';
import type { Rpc } from '../rpc/client';
import type { Runner } from '../tx/runner';
import type { Signer } from '../tx/signing/signer';
import type { SignedTransaction, SimulationOutcome } from '../tx/tx.types';
import type { ChannelPurseOrder, ChannelPurseState, FinishedChannelPurse, FundedChannelPurse, PurseName } from './channel.types';
import { decodeChannelPurse, fundChannel, onChannelPurse } from './purse-instructions';

/** Offset of the amount in a token account. */
const TOKEN_AMOUNT = 64;
/** Addresses of programs are searched from here downwards. */
const FIRST_BUMP = 255;
/** The program's error if a purse was finished before. */
const NOT_OPEN = 'channel_not_open';

/** Funds purses for channels, sweeps what comes back to them, and closes them, by instructions of the service's own program. */
export class ChainChannelPurses {
  constructor(
    private readonly rpc: Rpc,
    private readonly runner: Runner,
    private readonly addresses: Addresses,
    private readonly history: ChainHistory,
    private readonly options: { feePayer: Signer; fleets: FleetOf },
  ) {}

  /** Simulates the funding of a purse with the nonce `seq`. Nothing is sent. */
  simulateFunding(order: ChannelPurseOrder, seq: bigint, minContextSlot: number): Promise<SimulationOutcome> {
    return this.runner.simulate(this.funding(order, seq), COMPUTE_UNITS.fundChannel, minContextSlot);
  }

  /** Signs a funding under a recent blockhash; the purse's key is among the signers. Nothing is sent: `orders.settle` submits it. */
  signFunding(order: ChannelPurseOrder, seq: bigint, signers: Signer[]): Promise<SignedTransaction> {
    return this.runner.sign(this.funding(order, seq), COMPUTE_UNITS.fundChannel, signers);
  }

  /** The funding of a purse in a landed transaction. @throws ChainUnavailableError until a node serves the transaction. */
  async funded(signature: string, purseId: Uint8Array): Promise<FundedChannelPurse> {
    const funding = (await this.history.ordersLandedBy(signature)).find(({ id }) => id.equals(purseId));
    if (!funding?.deadline) throw new ChainUnavailableError(`${signature} does not show the funding of the purse`);
    return { seq: funding.seq, deadline: funding.deadline };
  }

  /** A purse by its account on chain; null before its funding and after its closing. @throws ChainUnavailableError */
  async purse(name: Pick<PurseName, 'account' | 'seq'>, minContextSlot = 0): Promise<ChannelPurseState | null> {
    const address = this.addressOf(name).toBase58();
    const [info] = await this.rpc.accounts([address], minContextSlot);
    return info?.owner.equals(this.addresses.programId) ? decodeChannelPurse(address, info.data) : null;
  }

  /**
   * Whether the first address that the associated token program tries for a key's token account is the one: it pays 1,500 compute units for
   * each that is not. One key in two is such a key.
   */
  isFoundAtOnce(key: string): boolean {
    return this.addresses.associated(new PublicKey(key)).bump === FIRST_BUMP;
  }

  /** Micro-USDC in the token account of a purse's key. */
  async held(key: string, minContextSlot = 0): Promise<bigint> {
    const [info] = await this.rpc.accounts([this.addresses.tokenAccount(new PublicKey(key)).toBase58()], minContextSlot);
    return info ? info.data.readBigUInt64LE(TOKEN_AMOUNT) : 0n;
  }

  /**
   * Moves home what lies in a purse. Idempotent. `closer`: the account's authority or operator, or null after the deadline.
   * @throws ChainRefusedError, ChainOutcomeUnknownError, ChainUnavailableError
   */
  async sweep(purse: PurseName, closer: Signer | null): Promise<{ signature: string; slot: number }> {
    const sweep = await this.on('sweep_channel', purse, closer);
    const executed = await this.runner.execute([sweep], COMPUTE_UNITS.sweepChannel, closer ? [closer] : []);
    if (executed.kind !== 'landed') throw refused(executed, 'sweep_channel', purse);
    return executed;
  }

  /**
   * Sweeps and finishes a purse. Idempotent: a repeated call returns the same result.
   * @throws ChainRefusedError, ChainOutcomeUnknownError, ChainUnavailableError
   */
  async finish(purse: PurseName, closer: Signer | null): Promise<FinishedChannelPurse> {
    const finish = await this.on('finish_channel', purse, closer);
    const simulated = await this.runner.simulate([finish], COMPUTE_UNITS.finishChannel, 0);
    if (simulated.kind === 'failed' && simulated.failure.reason === NOT_OPEN) return this.finished(purse);
    if (simulated.kind !== 'allowed') throw refused(simulated, 'finish_channel', purse);
    const isShown = async (slot: number): Promise<boolean> => (await this.purse(purse, slot))?.isFinished ?? true;
    const executed = await this.runner.execute([finish], COMPUTE_UNITS.finishChannel, closer ? [closer] : [], isShown);
    if (executed.kind === 'failed' && executed.failure.reason !== NOT_OPEN) throw refused(executed, 'finish_channel', purse);
    return this.finished(purse);
  }

  /**
   * Closes a purse whose last channel is gone, which finishes an open one: one transaction less to pay for. Idempotent.
   * @throws ChainRefusedError, ChainOutcomeUnknownError, ChainUnavailableError
   */
  async finishAndClose(purse: PurseName, closer: Signer): Promise<FinishedChannelPurse> {
    await this.close(purse, closer);
    return this.finished(purse);
  }

  /** The end of a purse, by its event. @throws ChainUnavailableError until the node's history has it. */
  async finished({ account, seq }: Pick<PurseName, 'account' | 'seq'>): Promise<FinishedChannelPurse> {
    const address = this.addressOf({ account, seq });
    const found = await this.history.findEvent(address.toBase58(), 'ChannelFinished', (data) => data.purse.equals(address));
    if (!found) throw new ChainUnavailableError(`no node shows the end of the channel purse ${seq} of ${account} yet`);
    const { signature, slot, data } = found;
    return { signature, slot, purseId: Uint8Array.from(data.purse_id), spent: toBigint(data.spent) };
  }

  /** Micro-USDC that came home in all of a purse that was closed, by its event; null while no node shows it. */
  async closed(purse: PurseName): Promise<{ swept: bigint; signature: string } | null> {
    const address = this.addressOf(purse);
    const found = await this.history.findEvent(address.toBase58(), 'ChannelClosed', (data) => data.purse.equals(address));
    return found && { swept: toBigint(found.data.swept), signature: found.signature };
  }

  /** The newest transaction that moved home what lay in a purse; null if no node has it. */
  async lastSweep(purse: PurseName): Promise<string | null> {
    const address = this.addressOf(purse);
    const found = await this.history.findEvent(address.toBase58(), 'ChannelSwept', (data) => data.purse.equals(address));
    return found?.signature ?? null;
  }

  /**
   * Closes a purse whose last channel is gone, finished or not. Idempotent.
   * @throws ChainRefusedError, ChainOutcomeUnknownError, ChainUnavailableError
   */
  async close(purse: PurseName, closer: Signer): Promise<void> {
    const state = await this.purse(purse);
    if (!state) return;
    const close = await this.on('close_channel', purse, closer, state.rentPayer);
    const units = state.isFinished ? COMPUTE_UNITS.closeChannel : COMPUTE_UNITS.closeOpenChannel;
    const isShown = async (slot: number): Promise<boolean> => (await this.purse(purse, slot)) === null;
    const executed = await this.runner.execute([close], units, [closer], isShown);
    if (executed.kind !== 'landed' && (await this.purse(purse)) !== null) throw refused(executed, 'close_channel', purse);
  }

  private addressOf({ account, seq }: Pick<PurseName, 'account' | 'seq'>): PublicKey {
    return this.addresses.channelPurse(new PublicKey(account), seq).address;
  }

  private funding(order: ChannelPurseOrder, seq: bigint) {
    return fundChannel(this.addresses, order, seq, new PublicKey(this.options.feePayer.address));
  }

  private async on(name: Parameters<typeof onChannelPurse>[1], purse: PurseName, closer: Signer | null, rentPayer?: string) {
    const fleet = await this.options.fleets.of(purse.account);
    const signer = new PublicKey((closer ?? this.options.feePayer).address);
    return onChannelPurse(
      this.addresses,
      name,
      { ...purse, fleet },
      signer,
      rentPayer === undefined ? undefined : new PublicKey(rentPayer),
    );
  }
}

const refused = (outcome: { kind: string; failure?: { reason: string } }, name: string, { account, seq }: PurseName): ChainRefusedError =>
  new ChainRefusedError(outcome.failure?.reason ?? outcome.kind, `${name} ${seq} of ${account}`);
