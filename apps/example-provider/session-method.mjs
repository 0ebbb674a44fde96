/**
 * The method `solana`/`session` for an unmodified mppx server. Providers copy this file, `session-account.mjs` and
 * `accepted-vouchers.mjs`.
 *
 * A payer opens a session, with a cap in escrow on chain, and pays each request by a voucher: the cumulative amount since the session
 * was opened, signed by the session's voucher key. The last voucher settles all payments in one transaction that anyone may send
 * (`settle_session`). So a request costs the check of one signature, and no transaction.
 *
 *   402  request    { amount, currency: mint, recipient: you, methodDetails: { network, channelProgram, category? } }
 *   then payload    { action: "voucher", channelId, voucher: { voucher: { channelId, cumulativeAmount, expiresAt? }, signer, signature,
 * signatureType } }
 *   200  receipt    { method, intent, status, reference: channelId, timestamp, acceptedCumulative, spent }
 *
 * There is no `open` on the wire: read the session from the chain at its first voucher.
 */
import { createPublicKey, verify } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519';
import { getAddressEncoder, getBase58Encoder, isAddress } from '@solana/kit';
import { Errors, Method, Receipt, z } from 'mppx';

/** @typedef {import('./session-account.mjs').Session} Session */
/** @typedef {import('./accepted-vouchers.mjs').Accepted} Accepted */
/** @typedef {import('@solana/kit').Address} Address */
/** @typedef {import('node:crypto').KeyObject} KeyObject */
/**
 * @typedef {{ session: Session, key: KeyObject, at: number }} CachedSession the session, its voucher key, and when it was read by our own
 * clock
 */

const amount = z.string().check(z.regex(/^(0|[1-9]\d{0,19})$/));
const address = z.string().check(z.refine((text) => isAddress(text)));
const signature = z.string().check(z.regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/));

const sessionMethod = Method.from({
  name: 'solana',
  intent: 'session',
  schema: {
    request: z.looseObject({
      amount,
      currency: address,
      recipient: address,
      methodDetails: z.looseObject({
        network: z.string(),
        channelProgram: address,
        category: z.optional(z.string()),
        channelId: z.optional(address),
      }),
    }),
    credential: {
      payload: z.object({
        action: z.literal('voucher'),
        channelId: address,
        voucher: z.object({
          voucher: z.object({ channelId: address, cumulativeAmount: amount, expiresAt: z.optional(z.int().check(z.nonnegative())) }),
          signer: address,
          signature,
          signatureType: z.literal('ed25519'),
        }),
      }),
    },
  },
});

/** @typedef {import('mppx').z.output<(typeof sessionMethod)['schema']['credential']['payload']>} Payload */

/** Sessions that end sooner than this are rejected, so that there is time to settle. */
const SETTLE_WITHIN_SECONDS = 30n;
/** How long a session is cached. A closing is not noticed within it, which is harmless while the grace period is longer. */
const CACHE_MS = 2_000;
/** The most sessions that are cached. */
const MAX_CACHED_SESSIONS = 10_000;
const VOUCHER_PREFIX = Buffer.from([0x56, 0x01]);
/** The DER prefix of an ed25519 public key. */
const DER_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * `leastGraceSeconds`: sessions with a shorter grace period are rejected. With 0 the payer may close at any time with an old voucher, so
 * that you trust it with what you have not settled yet. Require as long as you need to notice a closing and to settle.
 *
 * @param {object} options
 * @param {Address} options.payee
 * @param {number} options.leastGraceSeconds
 * @param {import('./session-account.mjs').SessionAccounts} options.accounts
 * @param {import('./accepted-vouchers.mjs').AcceptedVouchers} options.vouchers
 */
export function session({ payee, leastGraceSeconds, accounts, vouchers }) {
  const sessions = new SessionCache(accounts);
  const mutex = new Mutex();

  return Method.toServer(sessionMethod, {
    // A challenge may be answered many times while its terms stay the same.
    stableBinding: ({ amount, currency, recipient, methodDetails }) => ({
      amount,
      currency,
      recipient,
      network: methodDetails.network,
      channelProgram: methodDetails.channelProgram,
    }),

    verify: ({ credential: { payload, challenge }, request }) =>
      mutex.runExclusive(payload.channelId, async () => {
        const latest = vouchers.latest(payload.channelId);
        // The payer did not receive the response and repeats the credential: it is paid for already.
        if (latest?.challengeId === challenge.id && latest.signature === payload.voucher.signature) return receipt(latest);
        const accepted = { ...(await check(payload, BigInt(request.amount), latest)), challengeId: challenge.id };
        await vouchers.store(accepted);
        return receipt(accepted);
      }),
  });

  /**
   * Checks a voucher. Returns it in the form in which it is stored.
   * @param {Payload} payload @param {bigint} price @param {Accepted | undefined} latest
   */
  async function check({ channelId, voucher: signed }, price, latest) {
    const { cumulativeAmount, expiresAt = 0 } = signed.voucher;
    const cumulative = BigInt(cumulativeAmount);
    const read = async (/** @type {{ isFresh: boolean }} */ options) => {
      const found = await sessions.read(channelId, options);
      if (!found) throw latest ? new Errors.ChannelClosedError() : new Errors.ChannelNotFoundError();
      return found;
    };
    let { session, key, now } = await read({ isFresh: false });
    checkSignature(channelId, signed, session, key);
    // The session may have been topped up.
    if (cumulative > session.cap) ({ session, now } = await read({ isFresh: true }));
    checkSession(session, now);
    if (expiresAt !== 0 && BigInt(expiresAt) < now + SETTLE_WITHIN_SECONDS)
      throw new Errors.VerificationFailedError({ reason: 'the voucher expires before it can be settled' });
    if (cumulative > session.cap) throw new Errors.AmountExceedsDepositError({ reason: `${cumulative} of ${session.cap}` });

    // A voucher that was verified on chain counts even if the file was lost.
    const known = max(BigInt(latest?.cumulative ?? 0), session.proven);
    // More than the price is accepted: the payer may have signed for a response that it did not receive.
    if (cumulative < known + price)
      throw new Errors.DeltaTooSmallError({ reason: `${cumulative} is less than ${known} and the price of ${price}` });
    return {
      channelId,
      cumulative: `${cumulative}`,
      spent: `${BigInt(latest?.spent ?? 0) + price}`,
      signature: signed.signature,
      expiresAt,
      acceptedAt: new Date().toISOString(),
    };
  }

  /** Throws unless the session pays this provider and can be settled. @param {Session} session @param {bigint} now unix seconds */
  function checkSession(session, now) {
    if (session.payee !== payee) throw new Errors.VerificationFailedError({ reason: 'the session has another payee' });
    if (session.status !== 'open' || now >= session.expiresAt)
      throw new Errors.ChannelClosedError({ reason: 'it is closing or has expired' });
    if (session.graceSeconds < leastGraceSeconds)
      throw new Errors.VerificationFailedError({
        reason: `its grace period has ${session.graceSeconds} seconds, and ${leastGraceSeconds} are needed`,
      });
    if (session.endsAt < now + SETTLE_WITHIN_SECONDS) throw new Errors.ChannelClosedError({ reason: 'it ends too soon to be settled' });
    if (session.escrowed < session.cap - session.settled)
      throw new Errors.InsufficientBalanceError({ reason: 'the escrow does not hold what it should' });
  }
}

/**
 * @param {string} channelId @param {Payload['voucher']} signed @param {Session} session @param {KeyObject} key the session's voucher key
 */
function checkSignature(channelId, { voucher, signer, signature }, session, key) {
  if (voucher.channelId !== channelId)
    throw new Errors.VerificationFailedError({ reason: 'the voucher is for another session than the payload' });
  if (signer !== session.voucherKey) throw new Errors.SignerMismatchError();
  const message = voucherBytes(channelId, BigInt(voucher.cumulativeAmount), BigInt(voucher.expiresAt ?? 0));
  const bytes = message && getBase58Encoder().encode(signature);
  if (
    message === undefined ||
    bytes?.length !== 64 ||
    !verify(null, message, key, Uint8Array.from(bytes)) ||
    isSmallOrder(bytes.subarray(0, 32))
  )
    throw new Errors.InvalidSignatureError();
}

/**
 * Whether a verified signature's point R has small order. The runtime rejects such a signature, which `node:crypto` accepts, so that its
 * voucher could not be settled.
 * @param {import('@solana/kit').ReadonlyUint8Array} point
 */
function isSmallOrder(point) {
  return ed25519.Point.fromBytes(Uint8Array.from(point), true).isSmallOrder();
}

/**
 * The signed bytes: `0x56 0x01 | session (32) | cumulative amount (u64 LE) | expiry (i64 LE)`. Undefined if the amount does not fit.
 * @param {string} channelId @param {bigint} cumulative @param {bigint} expiresAt
 */
export function voucherBytes(channelId, cumulative, expiresAt) {
  if (cumulative >= 2n ** 64n) return undefined;
  const bytes = Buffer.alloc(50);
  bytes.set(VOUCHER_PREFIX);
  bytes.set(getAddressEncoder().encode(/** @type {Address} */ (channelId)), 2);
  bytes.writeBigUInt64LE(cumulative, 34);
  bytes.writeBigInt64LE(expiresAt, 42);
  return bytes;
}

/** @param {Address} address */
function publicKeyOf(address) {
  return createPublicKey({ key: Buffer.from([...DER_PREFIX, ...getAddressEncoder().encode(address)]), format: 'der', type: 'spki' });
}

/** @param {Accepted} accepted */
function receipt({ channelId, cumulative, spent, challengeId, acceptedAt }) {
  return Receipt.from({
    method: 'solana',
    intent: 'session',
    status: 'success',
    reference: channelId,
    timestamp: acceptedAt,
    challengeId,
    acceptedCumulative: cumulative,
    spent,
  });
}

/** @param {bigint} one @param {bigint} other */
const max = (one, other) => (one > other ? one : other);

/** Sessions of the chain, cached. */
class SessionCache {
  /** @type {Map<string, CachedSession>} */
  #cached = new Map();
  #accounts;

  /** @param {import('./session-account.mjs').SessionAccounts} accounts */
  constructor(accounts) {
    this.#accounts = accounts;
  }

  /**
   * The session, and the chain's time, which is advanced by our clock since the session was read; null if there is none.
   * @param {string} channelId @param {{ isFresh: boolean }} options with `isFresh` it is read again
   */
  async read(channelId, { isFresh }) {
    let found = this.#cached.get(channelId);
    if (!found || isFresh || performance.now() - found.at > CACHE_MS) {
      this.#cached.delete(channelId);
      const session = await this.#accounts.read(/** @type {Address} */ (channelId));
      if (!session) return null;
      found = { session, key: publicKeyOf(session.voucherKey), at: performance.now() };
      this.#store(channelId, found);
    }
    return { ...found, now: found.session.chainNow + BigInt(Math.floor((performance.now() - found.at) / 1000)) };
  }

  /** @param {string} channelId @param {CachedSession} found */
  #store(channelId, found) {
    const [oldest] = this.#cached.keys();
    if (oldest !== undefined && this.#cached.size >= MAX_CACHED_SESSIONS) this.#cached.delete(oldest);
    this.#cached.set(channelId, found);
  }
}

/** Serializes the checks of vouchers of one session. */
class Mutex {
  /** @type {Map<string, Promise<unknown>>} */
  #last = new Map();

  /**
   * @template T
   * @param {string} name @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async runExclusive(name, work) {
    const running = (this.#last.get(name) ?? Promise.resolve()).then(work, work);
    this.#last.set(name, running);
    try {
      return await running;
    } finally {
      if (this.#last.get(name) === running) this.#last.delete(name);
    }
  }
}
