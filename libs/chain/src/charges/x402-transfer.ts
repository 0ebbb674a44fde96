/** The transaction of one x402 payment, as facilitators take it (x402-foundation/x402, `scheme_exact_svm.md`). */
import { ComputeBudgetProgram, PublicKey, TransactionMessage, VersionedTransaction, type TransactionInstruction } from '@solana/web3.js';
import bs58 from 'bs58';
import { ChainRefusedError } from '../chain.errors';
import type { Signer } from '../tx/signing/signer';

/** Micro-lamports for a unit: facilitators reject a transaction without a price. */
const MIN_PRICE = 1n;
/**
 * The seller's memo may be the same for equal payments, which under one blockhash would be one transaction. So each of them has
 * another price, up to so many micro-lamports higher: at most 20 lamports in all.
 */
export const DISTINCT_PRICES = 1_000;

/** A message to be signed, and what it pays for a unit. */
export interface X402Draft {
  /** The transfer and the memo. */
  instructions: TransactionInstruction[];
  /** The facilitator's key. */
  feePayer: PublicKey;
  blockhash: string;
  computeUnits: number;
  microLamportsPerUnit: bigint;
  /** The highest price that facilitators take for this form of transaction. */
  mostPrice: bigint;
  /** Added to the price: 0 if the memo makes the payment unique, else below `DISTINCT_PRICES`, another for each payment. */
  distinction: number;
}

/** Signs with the payer's one key only. Returns the transaction with an empty first signature, and that key's. */
export async function signX402Transfer(draft: X402Draft, payer: Signer): Promise<{ bytes: Uint8Array; signature: string }> {
  const { feePayer, blockhash, instructions } = draft;
  const budget = [
    ComputeBudgetProgram.setComputeUnitLimit({ units: draft.computeUnits }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: priceOf(draft) }),
  ];
  const message = new TransactionMessage({
    payerKey: feePayer,
    recentBlockhash: blockhash,
    instructions: [...budget, ...instructions],
  }).compileToV0Message();
  const transaction = new VersionedTransaction(message);
  const signature = await payer.sign(message.serialize());
  transaction.addSignature(new PublicKey(payer.address), signature);
  return { bytes: transaction.serialize(), signature: bs58.encode(signature) };
}

/**
 * Facilitators sign only if their key pays the fee and does nothing else. `others`: keys beside those of the instructions that pay no
 * fee for a seller, such as the account's own address. @throws ChainRefusedError `fee_payer_in_use`
 */
export function checkFeePayer(feePayer: PublicKey, instructions: TransactionInstruction[], others: readonly PublicKey[]): void {
  const used = instructions.flatMap(({ programId, keys }) => [programId, ...keys.map(({ pubkey }) => pubkey)]);
  if ([...used, ...others].some((key) => key.equals(feePayer)))
    throw new ChainRefusedError('fee_payer_in_use', `${feePayer.toBase58()} cannot be the fee payer of a payment that it takes part in`);
}

function priceOf({ microLamportsPerUnit, mostPrice, distinction }: X402Draft): bigint {
  const [added, least] = [BigInt(distinction), microLamportsPerUnit > MIN_PRICE ? microLamportsPerUnit : MIN_PRICE];
  return added + (least < mostPrice - added ? least : mostPrice - added);
}
