/** The program payment-channels, by which metered sellers are paid: addresses, instructions and the channel's account. Pure. */
import { ASSOCIATED_TOKEN_PROGRAM_ID, TOKEN_PROGRAM_ID, getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey, SYSVAR_RENT_PUBKEY, SystemProgram, TransactionInstruction, type AccountMeta } from '@solana/web3.js';
import { u64 } from '../program/addresses';
import type { ChannelState, ChannelTerms } from './channel.types';

/** Checked against commit 3ffa4d6 of github.com/solana-foundation/payment-channels. */
export const PAYMENT_CHANNELS = new PublicKey('CHNLxYvVA28MJP9PrFuDXccuoGXAx7jBacfLEkahyGsX');
/** Owner of the token account that gets what cannot be returned. It must exist, or nothing is distributed. */
export const TREASURY = new PublicKey('Cs2zdfUNonRdRGsiZUQQLdTxzxVvJZmgiX2mpLYKuEqP');
const EVENT_AUTHORITY = PublicKey.findProgramAddressSync([Buffer.from('event_authority')], PAYMENT_CHANNELS)[0];

/** First byte of each instruction's data. */
const [OPEN, TOP_UP, REQUEST_CLOSE, SEAL, DISTRIBUTE] = [1, 3, 5, 6, 7];
/** `state/channel.rs`. `@x402/svm` 2.27.0 numbers `closing` and `sealed` the other way round. */
const STATUSES = ['open', 'sealed', 'closing', 'distributed'] as const;
/** Bytes and offsets of a channel's account. */
const CHANNEL_BYTES = 256;
const [STATUS, DEPOSIT, SETTLED, CLOSURE_STARTED, GRACE] = [3, 12, 20, 36, 52];
const [PAYER, PAYEE, AUTHORIZED_SIGNER, MINT, RENT_PAYER] = [88, 120, 152, 184, 216];

/** Returns the address of the channel with these terms, base58. */
export function channelAddress(terms: ChannelTerms): string {
  return addressOf(terms).toBase58();
}

/** The instruction that opens a channel; the payer and the rent payer sign. */
export function openChannel(terms: ChannelTerms): TransactionInstruction {
  const { payer, rentPayer, payee, mint, authorizedSigner } = keysOf(terms);
  const channel = addressOf(terms);
  return channelInstruction(
    [
      signs(payer),
      signs(rentPayer),
      reads(payee),
      reads(mint),
      reads(authorizedSigner),
      writes(channel),
      writes(associated(payer, mint)),
      writes(associated(channel, mint)),
      reads(TOKEN_PROGRAM_ID),
      reads(SystemProgram.programId),
      reads(SYSVAR_RENT_PUBKEY),
      reads(ASSOCIATED_TOKEN_PROGRAM_ID),
      reads(EVENT_AUTHORITY),
      reads(PAYMENT_CHANNELS),
    ],
    [Buffer.of(OPEN), u64(terms.salt), u64(terms.deposit), u32(terms.graceSeconds), u64(terms.openSlot), recipients(terms)],
  );
}

/** The instruction that raises the deposit; the payer signs. */
export function topUpChannel(terms: ChannelTerms, microUsdc: bigint): TransactionInstruction {
  const { payer, mint } = keysOf(terms);
  const channel = addressOf(terms);
  const accounts = [signs(payer), writes(channel), writes(associated(payer, mint)), writes(associated(channel, mint))];
  return channelInstruction([...accounts, reads(mint), reads(TOKEN_PROGRAM_ID)], [Buffer.of(TOP_UP), u64(microUsdc)]);
}

/** The instruction that starts the seller's grace period; the payer signs. */
export function requestClose(terms: ChannelTerms): TransactionInstruction {
  const payer = { pubkey: new PublicKey(terms.payer), isSigner: true, isWritable: false };
  return channelInstruction([payer, writes(addressOf(terms))], [Buffer.of(REQUEST_CLOSE)]);
}

/** The instruction that ends a channel after the grace period. Anyone's. */
export function sealChannel(terms: ChannelTerms): TransactionInstruction {
  return channelInstruction([writes(addressOf(terms))], [Buffer.of(SEAL)]);
}

/** The instruction that pays out: what was settled to the sellers, and of a sealed channel the rest to the payer. Anyone's. */
export function distributeChannel(terms: ChannelTerms): TransactionInstruction {
  const { payer, rentPayer, payee, mint } = keysOf(terms);
  const channel = addressOf(terms);
  const to = [payer, payee, TREASURY].map((owner) => writes(associated(owner, mint)));
  return channelInstruction(
    [
      writes(channel),
      reads(payer),
      writes(rentPayer),
      writes(associated(channel, mint)),
      ...to,
      reads(mint),
      reads(TOKEN_PROGRAM_ID),
      reads(EVENT_AUTHORITY),
      reads(PAYMENT_CHANNELS),
      ...terms.recipients.map(({ owner }) => writes(associated(new PublicKey(owner), mint))),
    ],
    [Buffer.of(DISTRIBUTE), recipients(terms)],
  );
}

/** Reads a channel's account; null if the bytes are none. */
export function decodeChannel(owner: PublicKey, data: Buffer): ChannelState | null {
  if (!owner.equals(PAYMENT_CHANNELS) || data.length !== CHANNEL_BYTES) return null;
  const status = STATUSES[data.readUInt8(STATUS)];
  if (!status) return null;
  const keyAt = (offset: number) => new PublicKey(data.subarray(offset, offset + 32)).toBase58();
  const closingAt = Number(data.readBigInt64LE(CLOSURE_STARTED));
  return {
    status,
    deposit: data.readBigUInt64LE(DEPOSIT),
    settled: data.readBigUInt64LE(SETTLED),
    closingAt: closingAt > 0 ? new Date(closingAt * 1000) : null,
    graceSeconds: data.readUInt32LE(GRACE),
    payer: keyAt(PAYER),
    payee: keyAt(PAYEE),
    authorizedSigner: keyAt(AUTHORIZED_SIGNER),
    mint: keyAt(MINT),
    rentPayer: keyAt(RENT_PAYER),
  };
}

function addressOf({ payer, payee, mint, authorizedSigner, salt, openSlot }: ChannelTerms): PublicKey {
  const keys = [payer, payee, mint, authorizedSigner].map((key) => new PublicKey(key).toBytes());
  return PublicKey.findProgramAddressSync([Buffer.from('channel'), ...keys, u64(salt), u64(openSlot)], PAYMENT_CHANNELS)[0];
}

type Keys = Record<'payer' | 'rentPayer' | 'payee' | 'mint' | 'authorizedSigner', PublicKey>;

const keysOf = ({ payer, rentPayer, payee, mint, authorizedSigner }: ChannelTerms): Keys => ({
  payer: new PublicKey(payer),
  rentPayer: new PublicKey(rentPayer),
  payee: new PublicKey(payee),
  mint: new PublicKey(mint),
  authorizedSigner: new PublicKey(authorizedSigner),
});

const associated = (owner: PublicKey, mint: PublicKey): PublicKey => getAssociatedTokenAddressSync(mint, owner, true);
const signs = (pubkey: PublicKey): AccountMeta => ({ pubkey, isSigner: true, isWritable: true });
const writes = (pubkey: PublicKey): AccountMeta => ({ pubkey, isSigner: false, isWritable: true });
const reads = (pubkey: PublicKey): AccountMeta => ({ pubkey, isSigner: false, isWritable: false });

const channelInstruction = (keys: AccountMeta[], data: Buffer[]): TransactionInstruction =>
  new TransactionInstruction({ programId: PAYMENT_CHANNELS, keys, data: Buffer.concat(data) });

function recipients({ recipients: all }: ChannelTerms): Buffer {
  const entries = all.map(({ owner, shareBps }) => {
    const share = Buffer.alloc(2);
    share.writeUInt16LE(shareBps);
    return Buffer.concat([new PublicKey(owner).toBytes(), share]);
  });
  return Buffer.concat([u32(all.length), ...entries]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
