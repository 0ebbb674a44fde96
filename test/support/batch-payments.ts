/** Payments of x402 `batch-settlement`, and what a seller requires of each before it serves. */
import { VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { channelAddress, type ChannelTerms, isSignedBy, openChannel, PAYMENT_CHANNELS_ADDRESS, topUpChannel } from '#chain';
import { voucherBytes } from '#mpp';
import { bindingMemo } from '#x402';

export interface Config {
  payer: string;
  payerAuthorizer: string;
  receiver: string;
  receiverAuthorizer: string;
  token: string;
  withdrawDelay: number;
  salt: string;
  openSlot: number;
}
export interface Voucher {
  channelId: string;
  maxClaimableAmount: string;
  expiresAt: number;
  signature: string;
}
export interface Authorization {
  type: string;
  channelId: string;
  payer: string;
  requestId: string;
  authorizedAmount: string;
  expiresAt: number;
  signature: string;
}
export interface Content {
  type: 'deposit' | 'voucher' | 'authorization' | 'refund';
  channelConfig: Config & { voucherSigner?: string };
  voucher?: Voucher;
  authorization?: Authorization;
  deposit?: { amount: string; transaction: string };
}

/** An authorization of this amount by the payer, whose request is not in `requests`, to which it is added. */
export function requireAuthorization(terms: ChannelTerms, authorization: Authorization, amount: bigint, requests: Set<string>): void {
  const { type, channelId, payer, requestId, authorizedAmount, expiresAt, signature } = authorization;
  if (type !== 'proof' || channelId !== channelAddress(terms) || payer !== terms.payer) throw new Error('authorization: another channel');
  if (authorizedAmount !== `${amount}`) throw new Error('authorization: another amount');
  if (expiresAt <= Date.now() / 1000 || expiresAt > Date.now() / 1000 + 60) throw new Error('authorization: expiry');
  if (requests.has(requestId)) throw new Error('duplicate_settlement');
  const head = Buffer.from('x402-batch-authorization-v2');
  const keys = [channelId, payer, terms.authorizedSigner].map((key) => bs58.decode(key));
  const [length, numbers] = [Buffer.alloc(2), Buffer.alloc(16)];
  length.writeUInt16LE(Buffer.byteLength(requestId));
  numbers.writeBigUInt64LE(amount);
  numbers.writeBigInt64LE(BigInt(expiresAt), 8);
  if (!isSignedBy(payer, Buffer.concat([head, ...keys, length, Buffer.from(requestId), numbers]), bs58.decode(signature)))
    throw new Error('authorization: signature');
  requests.add(requestId);
}

/** The signed transaction, if it is [limit] [price] `open` memo and binding memo, or `top_up` and a memo, with no signer but payer and facilitator. */
export function checkedDeposit(
  base64: string,
  terms: ChannelTerms,
  added: bigint | null,
  texts: { memo: string; authorizer: string },
): VersionedTransaction {
  const transaction = VersionedTransaction.deserialize(Buffer.from(base64, 'base64'));
  const { message } = transaction;
  const keys = message.staticAccountKeys.map((key) => key.toBase58());
  const signers = keys.slice(0, message.header.numRequiredSignatures);
  if (message.addressTableLookups.length > 0 || signers[0] !== terms.rentPayer || signers.length !== 2 || signers[1] !== terms.payer)
    throw new Error('payload_open_transaction: signers');
  const programs = message.compiledInstructions.map(({ programIdIndex }) => keys[programIdIndex] ?? '');
  const names = programs.map((program) => (program.startsWith('Compute') ? 'budget' : program.startsWith('MemoSq4') ? 'memo' : 'channel'));
  const memos = added === null ? [texts.memo, bindingMemo(texts.authorizer)] : [texts.memo];
  if (names.join() !== ['budget', 'budget', 'channel', ...memos.map(() => 'memo')].join() || programs[2] !== PAYMENT_CHANNELS_ADDRESS)
    throw new Error(`payload_open_transaction: ${names}`);
  const [, , instruction, ...written] = message.compiledInstructions.map(({ data }) => Buffer.from(data));
  const expected = added === null ? openChannel(terms) : topUpChannel(terms, added);
  const accounts = message.compiledInstructions[2]?.accountKeyIndexes.map((index) => keys[index]);
  if (!instruction?.equals(expected.data) || accounts?.join() !== expected.keys.map(({ pubkey }) => pubkey.toBase58()).join())
    throw new Error('payload_open_transaction: instruction');
  if (written.join() !== memos.join()) throw new Error('payload_open_transaction: memos');
  return transaction;
}

/** The channel that a payment names. */
export function channelOf({ voucher, authorization }: Content): string {
  return required(voucher ?? authorization).channelId;
}

/** The member, which must be there. */
export function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('payload_type');
  return value;
}

/** A voucher of a channel, by its authorizer, without expiry. */
export function requireVoucher(terms: ChannelTerms, { channelId, maxClaimableAmount, expiresAt, signature }: Voucher): void {
  if (channelId !== channelAddress(terms) || expiresAt !== 0) throw new Error('voucher: another channel');
  const message = voucherBytes({ channelId, cumulativeAmount: BigInt(maxClaimableAmount), expiresAt: 0n });
  if (!isSignedBy(terms.authorizedSigner, message, bs58.decode(signature))) throw new Error('voucher: signature');
}
