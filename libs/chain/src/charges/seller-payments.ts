/** The transfers by which delegates pay sellers: built and signed by us, sent by the seller. */
import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { createTransferCheckedInstruction } from '@solana/spl-token';
import { ComputeBudgetProgram, PublicKey, TransactionInstruction, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { ChainRefusedError, ChainUnavailableError } from '../chain.errors';
import type { Addresses } from '../program/addresses';
import { COMPUTE_UNITS } from '../program/compute-units';
import { USDC_DECIMALS } from '../program/idl';
import type { Blockhash } from '../rpc/blockhashes';
import type { Rpc } from '../rpc/client';
import { memoInstruction } from '../tx/memo';
import type { Runner } from '../tx/runner';
import type { Signer } from '../tx/signing/signer';
import type { BuiltPayment, BuiltX402Transfer, ChargePayment, X402Transfer } from './charge.types';
import { DISTINCT_PRICES, checkFeePayer, signX402Transfer } from './x402-transfer';

/** How long an approval may take to be finalized, and how often that is polled. */
const FINALITY_WAIT_MS = 40_000;
const FINALITY_POLL_MS = 500;
/** The highest compute unit price that providers and x402 facilitators accept; `@solana/mpp` rejects more. */
const MAX_MICRO_LAMPORTS_PER_UNIT = 5_000_000n;
const MAX_MEMO_BYTES = 566;
/** x402's limit for a seller's memo, and the random bytes of ours, which is hexadecimal. */
const MAX_X402_MEMO_BYTES = 256;
const X402_MEMO_BYTES = 16;

export class SellerPayments {
  /** Starts at random, so that two processes rarely count alike. */
  private x402Transfers = randomInt(DISTINCT_PRICES);

  constructor(
    private readonly rpc: Rpc,
    private readonly runner: Runner,
    private readonly addresses: Addresses,
    private readonly options: { feePayer: Signer; microLamportsPerComputeUnit: bigint },
  ) {}

  /**
   * Builds the transfer for the provider, signed by the delegate. Nothing is sent; it is simulated, because no other party checks it
   * before it lands. @throws ChainRefusedError `payment_fails` (no such recipient, a memo that needs more compute units than providers
   * allow), `memo_too_long`, `blockhash_unknown` if our node does not know the provider's blockhash, so that its expiry is unknown;
   * ChainUnavailableError.
   */
  async buildPayment(payment: ChargePayment, delegate: Signer): Promise<BuiltPayment> {
    const { feePayer } = this.options;
    const payerKey = new PublicKey(payment.feePayer ?? feePayer.address);
    const { transfer, units } = await this.checkedPayment(payment, delegate.address);
    await this.awaitFinality(transfer, units);
    const { blockhash, lastValidBlockHeight } =
      payment.recentBlockhash === null
        ? await this.rpc.read('no blockhash', (connection) => connection.getLatestBlockhash('finalized'))
        : await this.known(payment.recentBlockhash);
    const instructions = [...this.budget(units), ...transfer];
    const message = new TransactionMessage({ payerKey, recentBlockhash: blockhash, instructions }).compileToV0Message();
    const transaction = new VersionedTransaction(message);
    const bytes = message.serialize();
    for (const signer of payment.feePayer === null ? [feePayer, delegate] : [delegate])
      transaction.addSignature(new PublicKey(signer.address), await signer.sign(bytes));
    const [first] = transaction.signatures;
    const signature = payment.feePayer === null && first ? bs58.encode(first) : null;
    return { transaction: Buffer.from(transaction.serialize()).toString('base64'), signature, lastValidBlockHeight };
  }

  /**
   * Builds the transfer for an x402 facilitator, signed by the delegate; `x402-transfer.ts` has what facilitators require. Nothing is
   * sent; it is simulated on the confirmed state, as facilitators do.
   * @throws ChainRefusedError `payment_fails` (no token account of the payee, too small an allowance, a memo that needs too many compute
   * units), `memo_too_long`, `fee_payer_in_use` (the seller names a fee payer that the payment itself uses). ChainUnavailableError.
   */
  async buildX402Transfer(transfer: X402Transfer, delegate: Signer): Promise<BuiltX402Transfer> {
    const { memo, instructions, feePayer } = await this.checkedX402Transfer(transfer, delegate.address);
    const proposed = transfer.recentBlockhash === null ? null : await this.runner.knownBlockhash(transfer.recentBlockhash);
    const { blockhash, lastValidBlockHeight } = proposed ?? (await this.runner.recentBlockhash());
    const { bytes, signature: delegateSignature } = await signX402Transfer(
      {
        instructions,
        feePayer,
        blockhash,
        computeUnits: COMPUTE_UNITS.x402Transfer,
        microLamportsPerUnit: this.options.microLamportsPerComputeUnit,
        mostPrice: MAX_MICRO_LAMPORTS_PER_UNIT,
        distinction: transfer.memo === null ? 0 : this.x402Transfers++ % DISTINCT_PRICES,
      },
      delegate,
    );
    return { transaction: Buffer.from(bytes).toString('base64'), memo, delegateSignature, lastValidBlockHeight };
  }

  /** Checks a payment as `buildPayment` does while no delegate is approved: its owner signs the simulation. @throws ChainRefusedError */
  async checkPayment(payment: ChargePayment): Promise<void> {
    await this.checkedPayment(payment, payment.owner);
  }

  /** Like `checkPayment`, for `buildX402Transfer`. @throws ChainRefusedError */
  async checkX402Transfer(transfer: X402Transfer): Promise<void> {
    await this.checkedX402Transfer(transfer, transfer.owner);
  }

  private async checkedPayment(payment: ChargePayment, authority: string): Promise<{ transfer: TransactionInstruction[]; units: number }> {
    const transfer = this.transferInstructions(payment, authority);
    const units = payment.externalId === null ? COMPUTE_UNITS.chargePayment : COMPUTE_UNITS.chargePaymentWithMemo;
    if (payment.feePayer !== null) this.checkFeePayer(payment.feePayer, transfer, payment.owner);
    await this.checkSuccess(transfer, units, payment.minContextSlot);
    return { transfer, units };
  }

  private async checkedX402Transfer(
    transfer: X402Transfer,
    authority: string,
  ): Promise<{ memo: string; instructions: TransactionInstruction[]; feePayer: PublicKey }> {
    const memo = transfer.memo ?? randomBytes(X402_MEMO_BYTES).toString('hex');
    const instructions = [
      this.transferInstruction({ ...transfer, recipient: transfer.payTo }, authority),
      memoOfAtMost(MAX_X402_MEMO_BYTES, memo),
    ];
    const feePayer = this.checkFeePayer(transfer.feePayer, instructions, transfer.owner);
    await this.checkSuccess(instructions, COMPUTE_UNITS.x402Transfer, transfer.minContextSlot);
    return { memo, instructions, feePayer };
  }

  /** The seller's fee payer, which is neither ours nor the account. @throws ChainRefusedError `fee_payer_in_use` */
  private checkFeePayer(named: string, instructions: TransactionInstruction[], owner: string): PublicKey {
    const feePayer = new PublicKey(named);
    checkFeePayer(feePayer, instructions, [new PublicKey(this.options.feePayer.address), new PublicKey(owner)]);
    return feePayer;
  }

  /** @throws ChainRefusedError `payment_fails` */
  private async checkSuccess(transfer: TransactionInstruction[], units: number, minContextSlot: number): Promise<void> {
    const { err, logs } = await this.runner.simulateRaw(transfer, units, minContextSlot);
    if (err) throw new ChainRefusedError('payment_fails', `${JSON.stringify(err)} ${logs?.at(-1) ?? ''}`);
  }

  /**
   * Waits until the payment succeeds on the finalized state: providers send with a preflight there, as `@solana/mpp` 0.6 does. That is
   * about 13 s after the approval, and at once on the embedded chain, which has one state.
   */
  private async awaitFinality(transfer: TransactionInstruction[], units: number): Promise<void> {
    for (const until = performance.now() + FINALITY_WAIT_MS; ; await setTimeout(FINALITY_POLL_MS)) {
      const { err } = await this.runner.simulateRaw(transfer, units, 0, 'finalized');
      if (!err) return;
      if (performance.now() > until) throw new ChainUnavailableError('the approval of a charge is not final yet');
    }
  }

  private transferInstructions(payment: ChargePayment, signer: string): TransactionInstruction[] {
    const transfer = this.transferInstruction(payment, signer);
    return payment.externalId === null ? [transfer] : [transfer, memoOfAtMost(MAX_MEMO_BYTES, payment.externalId)];
  }

  private transferInstruction(
    { tokenAccount, recipient, microUsdc }: Pick<ChargePayment, 'tokenAccount' | 'recipient' | 'microUsdc'>,
    signer: string,
  ): TransactionInstruction {
    const destination = this.addresses.tokenAccount(new PublicKey(recipient));
    const [source, authority] = [new PublicKey(tokenAccount), new PublicKey(signer)];
    return createTransferCheckedInstruction(source, this.addresses.mint, destination, authority, microUsdc, USDC_DECIMALS);
  }

  private budget(units: number): TransactionInstruction[] {
    const price = this.options.microLamportsPerComputeUnit;
    const limit = ComputeBudgetProgram.setComputeUnitLimit({ units });
    if (price === 0n) return [limit];
    return [
      limit,
      ComputeBudgetProgram.setComputeUnitPrice({
        microLamports: price < MAX_MICRO_LAMPORTS_PER_UNIT ? price : MAX_MICRO_LAMPORTS_PER_UNIT,
      }),
    ];
  }

  /** @throws ChainRefusedError `blockhash_unknown` */
  private async known(blockhash: string): Promise<Blockhash> {
    const known = await this.runner.knownBlockhash(blockhash);
    if (!known) throw new ChainRefusedError('blockhash_unknown', `our node does not know the blockhash ${blockhash}`);
    return known;
  }
}

function memoOfAtMost(maxBytes: number, text: string): TransactionInstruction {
  if (Buffer.byteLength(text) > maxBytes) throw new ChainRefusedError('memo_too_long', `a memo has at most ${maxBytes} bytes`);
  return memoInstruction(text);
}
