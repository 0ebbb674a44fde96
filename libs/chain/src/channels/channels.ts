/** The payment channels that sellers open out of channel purses. */
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { ChainRefusedError, ChainUnavailableError } from '../chain.errors';
import { checkFeePayer, signX402Transfer } from '../charges/x402-transfer';
import type { ChainHistory } from '../history/history';
import type { Addresses } from '../program/addresses';
import { COMPUTE_UNITS } from '../program/compute-units';
import type { Rpc } from '../rpc/client';
import { memoInstruction } from '../tx/memo';
import type { Runner } from '../tx/runner';
import type { Signer } from '../tx/signing/signer';
import type { SignedTransaction } from '../tx/tx.types';
import type { BuiltChannel, ChannelOpening, ChannelState, ChannelTerms, PaidChannel } from './channel.types';
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

/** The highest price of a compute unit that facilitators of `@x402/svm` 2.27.0 take. */
const MAX_MICRO_LAMPORTS_PER_UNIT = 5_000_000n;
/** Sellers refuse an `open_slot` after the slot of their own node, which may be behind. */
const FINALIZED = 'finalized';

/** Opens, tops up and closes channels of the program payment-channels, and reads what they paid. */
export class ChainChannels {
  private isPresent = false;

  constructor(
    private readonly rpc: Rpc,
    private readonly runner: Runner,
    private readonly addresses: Addresses,
    private readonly history: ChainHistory,
    private readonly options: { feePayer: Signer; microLamportsPerComputeUnit: bigint },
  ) {}

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
    if (executed.kind !== 'landed' && (await this.isOpen(terms))) throw refused(executed, 'request_close', terms);
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
    if (executed.kind !== 'landed') throw refused(executed, 'distribute', terms);
  }

  /** Whether the seller's end of a channel is done: it was paid out, or its account is gone. */
  private async hasStatus(terms: ChannelTerms, slot: number, is: (status: ChannelState['status']) => boolean): Promise<boolean> {
    const [channel] = await this.find([channelAddress(terms)], slot);
    return !channel || is(channel.status);
  }

  private async isOpen(terms: ChannelTerms): Promise<boolean> {
    return (await this.find([channelAddress(terms)]))[0]?.status === 'open';
  }
}

const refused = (outcome: { kind: string; failure?: { reason: string } }, name: string, terms: ChannelTerms): ChainRefusedError =>
  new ChainRefusedError(outcome.failure?.reason ?? outcome.kind, `${name} of the channel ${channelAddress(terms)}`);
