/**
 * Reads sessions from the chain: payer, payee, cap, expiry, and the key that signs vouchers. The layout is that of
 * `programs/agent-policy/src/state/session.rs`. Later versions only append to it.
 */
import { address, createSolanaRpc, getAddressDecoder, getAddressEncoder, getBase64Encoder, getProgramDerivedAddress } from '@solana/kit';

/**
 * @typedef {import('@solana/kit').Address} Address
 * @typedef {object} Session
 * @property {'open' | 'closing' | 'owed'} status
 * @property {number} graceSeconds how long vouchers may still be settled after a closing or the expiry
 * @property {Address} account the account that pays
 * @property {Address} payee
 * @property {Address} payeeTokenAccount
 * @property {Address} voucherKey
 * @property {Address} escrow
 * @property {bigint} cap micro-USDC in all, top-ups included
 * @property {bigint} settled micro-USDC paid so far
 * @property {bigint} proven micro-USDC of the highest voucher that was verified on chain
 * @property {bigint} expiresAt unix seconds
 * @property {bigint} endsAt unix seconds. From then on anyone may close it, and no voucher is settled any more
 * @property {bigint} escrowed micro-USDC in the escrow that can be moved; 0 for another mint or a frozen account
 * @property {bigint} chainNow unix seconds, by the chain's clock at the time of reading
 */

export const TOKEN_PROGRAM = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
export const TOKEN_ACCOUNT_PROGRAM = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
const CLOCK = address('SysvarC1ock11111111111111111111111111111111');

/** The first 8 bytes of every session account. */
const DISCRIMINATOR = Buffer.from([243, 81, 72, 115, 214, 188, 72, 144]);
const SESSION_BYTES = 408;
/** @type {Record<number, Session['status']>} */
const STATUSES = { 1: 'open', 2: 'closing', 3: 'owed' };
const TOKEN_ACCOUNT_INITIALISED = 1;
const RPC_TIMEOUT_MS = 5_000;

/** @param {Address} owner @param {Address} mint */
export async function tokenAccountOf(owner, mint) {
  const bytes = getAddressEncoder();
  const [found] = await getProgramDerivedAddress({
    programAddress: TOKEN_ACCOUNT_PROGRAM,
    seeds: [bytes.encode(owner), bytes.encode(TOKEN_PROGRAM), bytes.encode(mint)],
  });
  return found;
}

/** The escrow of a session: a token account that it owns. @param {Address} session @param {Address} program */
async function escrowOf(session, program) {
  const [found] = await getProgramDerivedAddress({ programAddress: program, seeds: ['escrow', getAddressEncoder().encode(session)] });
  return found;
}

/** Reads sessions. One request reads the session, its escrow and the clock at the same slot. */
export class SessionAccounts {
  #rpc;
  #program;
  #mint;

  /** @param {{ rpcUrl: string, program: Address, mint: Address }} chain */
  constructor({ rpcUrl, program, mint }) {
    this.#rpc = createSolanaRpc(rpcUrl);
    this.#program = program;
    this.#mint = mint;
  }

  /**
   * The session at an address; null if there is none. The address needs no derivation: only the program can write an account that it
   * owns, and it writes sessions at their addresses only.
   * @param {Address} at
   * @returns {Promise<Session | null>}
   */
  async read(at) {
    const escrow = await escrowOf(at, this.#program);
    const { value } = await this.#rpc
      .getMultipleAccounts([at, escrow, CLOCK], { encoding: 'base64', commitment: 'confirmed' })
      .send({ abortSignal: AbortSignal.timeout(RPC_TIMEOUT_MS) });
    const [sessionInfo, escrowInfo, clockInfo] = value;
    if (!clockInfo) throw new Error('the node does not serve the clock');
    if (!sessionInfo || sessionInfo.owner !== this.#program) return null;
    const session = decode(bytesOf(sessionInfo));
    // With another bump the escrow is at another address, which was not read.
    if (!session || session.escrow !== escrow) return null;
    return {
      ...session,
      escrowed: escrowInfo?.owner === TOKEN_PROGRAM ? movable(bytesOf(escrowInfo), this.#mint) : 0n,
      chainNow: bytesOf(clockInfo).readBigInt64LE(32),
    };
  }
}

/** @param {{ data: readonly [string, string] }} info */
function bytesOf({ data: [text] }) {
  return Buffer.from(getBase64Encoder().encode(text));
}

/** @param {Buffer} data */
function decode(data) {
  if (data.length < SESSION_BYTES || !data.subarray(0, 8).equals(DISCRIMINATOR)) return null;
  const addressAt = (/** @type {number} */ at) => getAddressDecoder().decode(data.subarray(at, at + 32));
  const status = STATUSES[data.readUInt8(10)];
  if (!status) return null;
  const [graceSeconds, expiresAt, closingAt] = [data.readUInt32LE(12), data.readBigInt64LE(328), data.readBigInt64LE(336)];
  const ending = closingAt > 0n && closingAt < expiresAt ? closingAt : expiresAt;
  return {
    status,
    graceSeconds,
    account: addressAt(16),
    payee: addressAt(96),
    payeeTokenAccount: addressAt(128),
    voucherKey: addressAt(160),
    escrow: addressAt(224),
    cap: data.readBigUInt64LE(296),
    settled: data.readBigUInt64LE(304),
    proven: data.readBigUInt64LE(312),
    expiresAt,
    endsAt: ending + BigInt(graceSeconds),
  };
}

/**
 * The balance of a token account of our mint that can be moved; 0 while it is frozen. Anyone can open a session with a worthless mint.
 * @param {Buffer} data @param {Address} mint
 */
function movable(data, mint) {
  if (getAddressDecoder().decode(data.subarray(0, 32)) !== mint) return 0n;
  return data.readUInt8(108) === TOKEN_ACCOUNT_INITIALISED ? data.readBigUInt64LE(64) : 0n;
}
