/** Channel purses, and the payment channels that sellers open out of them. */
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { ChainRefusedError, ChainUnavailableError } from '../chain.errors';
import { checkFeePayer, signX402Transfer } from '../charges/x402-transfer';
import type { FleetOf } from '../accounts/fleet-of';
import type { ChainHistory } from '../history/history';
import type { Addresses } from '../program/addresses';
import { COMPUTE_UNITS } from '../program/compute-units';
import { toBigint } from '../program/idl';
import type { Rpc } from '../rpc/client';
import { memoInstruction } from '../tx/memo';
import type { Runner } from '../tx/runner';
import type { Signer } from '../tx/signing/signer';
import type { SignedTransaction, SimulationOutcome } from '../tx/tx.types';
import type {
  BuiltChannel,
  ChannelOpening,
  ChannelPurseOrder,
  ChannelPurseState,
  ChannelState,
  ChannelTerms,
  FinishedChannelPurse,
  FundedChannelPurse,
  PaidChannel,
  PurseName,
} from './channel.types';
import {
  channelAddress,
  decodeChannel,
  distributeChannel,
  openChannel,
  PAYMENT_CHANNELS,
  requestClose,
  sealChannel,
  topUpChannel,
  TREASURY,
} from './payment-channels';
import { decodeChannelPurse, fundChannel, onChannelPurse } from './purse-instructions';

/** Offset of the amount in a token account. */
const TOKEN_AMOUNT = 64;
/** Addresses of programs are searched from here downwards. */
const FIRST_BUMP = 255;
/** The highest price of a compute unit that facilitators of `@x402/svm` 2.27.0 take. */
const MAX_MICRO_LAMPORTS_PER_UNIT = 5_000_000n;
/** Sellers refuse an `open_slot` after the slot of their own node, which may be behind. */
const FINALIZED = 'finalized';
/** The program's error if a purse was finished before. */
const NOT_OPEN = 'channel_not_open';

export class ChainChannels {
  private isPresent = false;

  constructor(
    private readonly rpc: Rpc,
    private readonly runner: Runner,
    private readonly addresses: Addresses,
    private readonly history: ChainHistory,
    private readonly options: { feePayer: Signer; microLamportsPerComputeUnit: bigint; fleets: FleetOf },
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
  async purse({ account, seq }: Pick<PurseName, 'account' | 'seq'>, minContextSlot = 0): Promise<ChannelPurseState | null> {
    const address = this.addresses.channelPurse(new PublicKey(account), seq).address.toBase58();
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
    const address = this.addresses.channelPurse(new PublicKey(account), seq).address;
    const found = await this.history.findEvent(address.toBase58(), 'ChannelFinished', (data) => data.purse.equals(address));
    if (!found) throw new ChainUnavailableError(`no node shows the end of the channel purse ${seq} of ${account} yet`);
    const { signature, slot, data } = found;
    return { signature, slot, purseId: Uint8Array.from(data.purse_id), spent: toBigint(data.spent) };
  }

  /** Micro-USDC that came home in all of a purse that was closed, by its event; null while no node shows it. */
  async closed({ account, seq }: PurseName): Promise<{ swept: bigint; signature: string } | null> {
    const address = this.addresses.channelPurse(new PublicKey(account), seq).address;
    const found = await this.history.findEvent(address.toBase58(), 'ChannelClosed', (data) => data.purse.equals(address));
    return found && { swept: toBigint(found.data.swept), signature: found.signature };
  }

  /** The newest transaction that moved home what lay in a purse; null if no node has it. */
  async lastSweep({ account, seq }: PurseName): Promise<string | null> {
    const address = this.addresses.channelPurse(new PublicKey(account), seq).address;
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

  /** The newest slot that every seller's node has. */
  openSlot(): Promise<bigint> {
    return this.rpc.read('no slot', async (connection) => BigInt(await connection.getSlot(FINALIZED)));
  }

  /**
   * Micro-USDC that a channel paid to its recipients, and the newest transaction that did; no signature if it paid nothing. `settled`: by its
   * account; null if that is gone. Null if the channel never was opened.
   * @throws ChainUnavailableError while the node's history does not show what its account settled
   */
  async paid(terms: ChannelTerms, settled: bigint | null): Promise<PaidChannel | null> {
    if (settled === 0n) return { microUsdc: 0n, signature: null };
    const escrow = this.addresses.tokenAccount(new PublicKey(channelAddress(terms))).toBase58();
    const receivers = [terms.payee, ...terms.recipients.map(({ owner }) => owner)].map((owner) =>
      this.addresses.tokenAccount(new PublicKey(owner)).toBase58(),
    );
    let newest: string | null = null;
    let wasOpened = false;
    let sum = 0n;
    for await (const { signature, movements } of this.history.movementsAt(escrow)) {
      wasOpened = true;
      const paid = movements.filter(({ source, destination }) => source === escrow && receivers.includes(destination ?? ''));
      if (paid.length > 0) newest ??= signature;
      sum += paid.reduce((total, { microUsdc }) => total + microUsdc, 0n);
    }
    if (settled === null) return wasOpened ? { microUsdc: sum, signature: newest } : null;
    if (sum < settled) throw new ChainUnavailableError(`a node does not show all that the channel ${channelAddress(terms)} paid yet`);
    return { microUsdc: settled, signature: newest };
  }

  /** The token account of payment-channels' treasury, base58. */
  get treasury(): string {
    return this.addresses.tokenAccount(TREASURY).toBase58();
  }

  /** Whether this chain carries payment-channels, and its treasury has a token account of the mint. @throws ChainUnavailableError */
  async arePresent(): Promise<boolean> {
    this.isPresent ||= (await this.rpc.accounts([PAYMENT_CHANNELS.toBase58(), this.treasury])).every((account) => account !== null);
    return this.isPresent;
  }

  /** The address of a channel. */
  addressOf(terms: ChannelTerms): string {
    return channelAddress(terms);
  }

  /** Channels by their accounts on chain; null for one that is not open yet, or whose account is gone. @throws ChainUnavailableError */
  async find(channels: string[], minContextSlot = 0): Promise<(ChannelState | null)[]> {
    const infos = channels.length === 0 ? [] : await this.rpc.accounts(channels, minContextSlot);
    return infos.map((info) => (info ? decodeChannel(info.owner, info.data) : null));
  }

  /**
   * Builds the transaction by which a seller's facilitator opens a channel, signed by the purse's key. Nothing is sent; it is simulated as
   * facilitators do. @throws ChainRefusedError `open_fails`, `fee_payer_in_use`; ChainUnavailableError
   */
  buildOpening(opening: ChannelOpening, key: Signer): Promise<BuiltChannel> {
    return this.built(opening, openChannel(opening.terms), COMPUTE_UNITS.openChannel, key);
  }

  /**
   * Builds the transaction by which a seller's facilitator raises the deposit of an open channel by an amount, as `buildOpening` does.
   * @throws ChainRefusedError `open_fails`, `fee_payer_in_use`; ChainUnavailableError
   */
  buildTopUp(opening: ChannelOpening, microUsdc: bigint, key: Signer): Promise<BuiltChannel> {
    return this.built(opening, topUpChannel(opening.terms, microUsdc), COMPUTE_UNITS.topUpChannel, key);
  }

  private async built(
    { terms, memos, recentBlockhash, minContextSlot }: ChannelOpening,
    instruction: TransactionInstruction,
    computeUnits: number,
    key: Signer,
  ): Promise<BuiltChannel> {
    const feePayer = new PublicKey(terms.rentPayer);
    // The facilitator pays fee and rent and is often the payee: it may be in no other place than ours.
    checkFeePayer(feePayer, [], [new PublicKey(this.options.feePayer.address), new PublicKey(terms.payer)]);
    const instructions = [instruction, ...memos.map(memoInstruction)];
    const proposed = recentBlockhash === null ? null : await this.runner.knownBlockhash(recentBlockhash);
    const { blockhash, lastValidBlockHeight } = proposed ?? (await this.runner.recentBlockhash());
    const { err, logs } = await this.runner.simulateRaw(instructions, computeUnits, minContextSlot);
    if (err) throw new ChainRefusedError('open_fails', `${JSON.stringify(err)} ${logs?.at(-1) ?? ''}`);
    const { bytes } = await signX402Transfer(
      {
        instructions,
        feePayer,
        blockhash,
        computeUnits,
        microLamportsPerUnit: this.options.microLamportsPerComputeUnit,
        mostPrice: MAX_MICRO_LAMPORTS_PER_UNIT,
        distinction: 0,
      },
      key,
    );
    return { transaction: Buffer.from(bytes).toString('base64'), lastValidBlockHeight };
  }

  /** Signs what raises the deposit of an open channel, at our cost; its seller submits it. Nothing is sent. @throws ChainUnavailableError */
  topUp(terms: ChannelTerms, microUsdc: bigint, key: Signer): Promise<SignedTransaction> {
    return this.runner.signAnother([topUpChannel(terms, microUsdc)], COMPUTE_UNITS.topUpChannel, [key]);
  }

  /** Starts the grace period of an open channel. Idempotent. @throws ChainRefusedError, ChainOutcomeUnknownError, ChainUnavailableError */
  async requestClose(terms: ChannelTerms, key: Signer): Promise<void> {
    const executed = await this.runner.execute([requestClose(terms)], COMPUTE_UNITS.endChannel, [key], (slot) =>
      this.hasStatus(terms, slot, (status) => status !== 'open'),
    );
    if (executed.kind !== 'landed' && (await this.isOpen(terms))) throw refusedChannel(executed, 'request_close', terms);
  }

  /**
   * Ends a channel whose grace period is over, or pays out one that is sealed: the rest comes back to the purse. Idempotent.
   * @throws ChainRefusedError while the grace period runs; ChainOutcomeUnknownError, ChainUnavailableError
   */
  async sealAndDistribute(terms: ChannelTerms): Promise<void> {
    const [channel] = await this.find([channelAddress(terms)]);
    if (!channel || channel.status === 'distributed') return;
    const instructions = [...(channel.status === 'closing' ? [sealChannel(terms)] : []), distributeChannel(terms)];
    const executed = await this.runner.execute(instructions, COMPUTE_UNITS.endChannel, [], (slot) =>
      this.hasStatus(terms, slot, (status) => status === 'distributed'),
    );
    if (executed.kind !== 'landed') throw refusedChannel(executed, 'distribute', terms);
  }

  /** Whether the seller's end of a channel is done: it was paid out, or its account is gone. */
  private async hasStatus(terms: ChannelTerms, slot: number, is: (status: ChannelState['status']) => boolean): Promise<boolean> {
    const [channel] = await this.find([channelAddress(terms)], slot);
    return !channel || is(channel.status);
  }

  private async isOpen(terms: ChannelTerms): Promise<boolean> {
    return (await this.find([channelAddress(terms)]))[0]?.status === 'open';
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

type NotLanded = { kind: string; failure?: { reason: string } };

const refused = (outcome: NotLanded, name: string, { account, seq }: PurseName): ChainRefusedError =>
  new ChainRefusedError(outcome.failure?.reason ?? outcome.kind, `${name} ${seq} of ${account}`);

const refusedChannel = (outcome: NotLanded, name: string, terms: ChannelTerms): ChainRefusedError =>
  new ChainRefusedError(outcome.failure?.reason ?? outcome.kind, `${name} of the channel ${channelAddress(terms)}`);
