/** Direct transfers: x402 payments by the program's own `transfer`, which the seller's facilitator completes and sends. */
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { checkFeePayer, signX402Transfer } from '../charges/x402-transfer';
import type { Addresses } from '../program/addresses';
import { COMPUTE_UNITS } from '../program/compute-units';
import { memoInstruction } from '../tx/memo';
import type { Runner } from '../tx/runner';
import type { Signer } from '../tx/signing/signer';
import type { SignedTransaction, SimulationOutcome } from '../tx/tx.types';
import type { DirectTransferOrder } from './order.types';
import { transferInstruction } from './orders';

/** The highest compute unit price that `@x402/svm` 2.27.0 takes of a wallet program. */
const MAX_MICRO_LAMPORTS_PER_UNIT = 50_000n;

/**
 * Facilitators that list the program verify such a transfer by simulation: compute limit, compute price, the transfer, one memo. The account's
 * policy binds its destination, and its nonce lets it happen once, however often it is sent.
 */
export class ChainDirectTransfers {
  constructor(
    private readonly runner: Runner,
    private readonly addresses: Addresses,
    private readonly options: { feePayer: Signer; microLamportsPerComputeUnit: bigint },
  ) {}

  /** The token account that a payment to this owner credits. */
  destinationOf(payTo: string): string {
    return this.addresses.tokenAccount(new PublicKey(payTo)).toBase58();
  }

  /** Simulates the transfer with its memo, with the nonce `seq`. Nothing is sent. @throws ChainUnavailableError */
  simulate(order: DirectTransferOrder, seq: bigint, minContextSlot: number): Promise<SimulationOutcome> {
    return this.runner.simulate(this.instructions(order, seq), COMPUTE_UNITS.directTransfer, minContextSlot);
  }

  /** Checks the fee payer that a seller names. @throws ChainRefusedError `fee_payer_in_use` if the payment itself uses it */
  checkFeePayer(order: DirectTransferOrder): void {
    checkFeePayer(new PublicKey(order.feePayer), this.instructions(order, 0n), [
      new PublicKey(this.options.feePayer.address),
      new PublicKey(order.address),
    ]);
  }

  /**
   * Signs the transfer with the account's authority. Nothing is sent: the first signature, which names the transaction, is the facilitator's and
   * is empty. `signature` is the authority's.
   */
  async sign(order: DirectTransferOrder, seq: bigint, authority: Signer): Promise<SignedTransaction> {
    const { recentBlockhash } = order;
    const proposed = recentBlockhash === null ? null : await this.runner.knownBlockhash(recentBlockhash);
    const { blockhash, lastValidBlockHeight } = proposed ?? (await this.runner.recentBlockhash());
    const draft = {
      instructions: this.instructions(order, seq),
      feePayer: new PublicKey(order.feePayer),
      blockhash,
      computeUnits: COMPUTE_UNITS.directTransfer,
      microLamportsPerUnit: this.options.microLamportsPerComputeUnit,
      mostPrice: MAX_MICRO_LAMPORTS_PER_UNIT,
      distinction: 0, // the nonce makes it unique
    };
    return { ...(await signX402Transfer(draft, authority)), lastValidBlockHeight, feeLamports: 0n };
  }

  private instructions(order: DirectTransferOrder, seq: bigint): TransactionInstruction[] {
    return [transferInstruction(this.addresses, order, seq), memoInstruction(order.memo)];
  }
}
