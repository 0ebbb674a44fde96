/** The instructions by which a seller of x402 `batch-settlement` is paid from a channel. */
import { Ed25519Program, PublicKey, SYSVAR_INSTRUCTIONS_PUBKEY, TransactionInstruction } from '@solana/web3.js';
import bs58 from 'bs58';
import { type ChannelTerms, distributeChannel, PAYMENT_CHANNELS_ADDRESS } from '#chain';
import { voucherBytes } from '#mpp';

const [SETTLE, SETTLE_AND_SEAL] = [2, 4];

/** A channel as its seller keeps it. */
export interface Stored {
  terms: ChannelTerms;
  charged: bigint;
  /** Of the voucher of that sum; null if the chain has settled it. */
  signature: string | null;
  isClosed: boolean;
}

/** Settles the accepted voucher, and leaves the channel open. */
export function settleVoucher(channelId: string, stored: Stored): TransactionInstruction[] {
  const settle = new TransactionInstruction({
    programId: new PublicKey(PAYMENT_CHANNELS_ADDRESS),
    keys: [
      { pubkey: new PublicKey(channelId), isSigner: false, isWritable: true },
      { pubkey: SYSVAR_INSTRUCTIONS_PUBKEY, isSigner: false, isWritable: false },
    ],
    data: Buffer.of(SETTLE),
  });
  return [voucherProof(channelId, stored), settle];
}

/** Pays the receiver what was accepted, and sends the rest back. Signed by the payee of the channel's terms. */
export function sealChannel(payee: PublicKey, channelId: string, stored: Stored): TransactionInstruction[] {
  const { terms, signature: proof } = stored;
  const seal = new TransactionInstruction({
    programId: new PublicKey(PAYMENT_CHANNELS_ADDRESS),
    keys: [
      { pubkey: payee, isSigner: true, isWritable: false },
      { pubkey: new PublicKey(channelId), isSigner: false, isWritable: true },
      { pubkey: SYSVAR_INSTRUCTIONS_PUBKEY, isSigner: false, isWritable: false },
    ],
    data: Buffer.of(SETTLE_AND_SEAL, proof === null ? 0 : 1),
  });
  return [...(proof === null ? [] : [voucherProof(channelId, stored)]), seal, distributeChannel(terms)];
}

/** The instruction by which the chain checks the accepted voucher of a channel. */
function voucherProof(channelId: string, { terms, charged, signature }: Stored): TransactionInstruction {
  return Ed25519Program.createInstructionWithPublicKey({
    publicKey: new PublicKey(terms.authorizedSigner).toBytes(),
    message: voucherBytes({ channelId, cumulativeAmount: charged, expiresAt: 0n }),
    signature: bs58.decode(signature ?? ''),
  });
}
