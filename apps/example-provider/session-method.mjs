/**
 * The method `solana`/`session` for a stock mppx server: what a provider copies, with `session-account.mjs` and
 * `accepted-vouchers.mjs`.
 *
 * A payer sets money aside for you on chain, in a session, and pays each request by a voucher: "so much in all since the
 * session was opened", signed by the session's voucher key. The last voucher settles everything, in one transaction that
 * anybody may send (`settle_session`). So a request costs one signature to check, and no transaction.
 *
 *   402  request    { amount, currency: mint, recipient: you, methodDetails: { network, channelProgram, category? } }
 *   then payload    { action: "voucher", channelId, voucher: { voucher: { channelId, cumulativeAmount, expiresAt? }, signer, signature, signatureType } }
 *   200  receipt    { method, intent, status, reference: channelId, timestamp, acceptedCumulative, spent }
 *
 * There is no `open` on the wire: at the first voucher of a session you look at the chain.
 */
import { createPublicKey, verify } from 'node:crypto';
import { getAddressEncoder, getBase58Encoder, isAddress } from '@solana/kit';
import { Errors, Method, Receipt, z } from 'mppx';

/** @typedef {import('./session-account.mjs').Session} Session */
/** @typedef {import('./accepted-vouchers.mjs').Accepted} Accepted */
/** @typedef {import('@solana/kit').Address} Address */
/** @typedef {import('node:crypto').KeyObject} KeyObject */
/** @typedef {{ session: Session, key: KeyObject, at: number }} Look what the chain said, the voucher key ready for use, and when by our own clock */

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

/** A session that ends sooner than this is not taken any more: there must be time to settle. */
const SETTLE_WITHIN_SECONDS = 30n;
/** A look at the chain serves so long. Within it a closing goes unnoticed, which is harmless while the grace period is longer. */
const LOOK_AGAIN_MS = 2_000;
/** Looks that are remembered. */
const MOST_LOOKS = 10_000;
const VOUCHER_PREFIX = Buffer.from([0x56, 0x01]);
/** What stands before the 32 bytes of an ed25519 key in DER. */
const DER_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * `leastGraceSeconds`: sessions with a shorter grace period are refused. With 0 the payer may close at any moment and show an
 * old voucher: you trust it with whatever you have not settled yet. Ask for as long as you need to notice and to settle.
 *
 * @param {object} options
 * @param {Address} options.payee
 * @param {number} options.leastGraceSeconds
 * @param {import('./session-account.mjs').SessionAccounts} options.accounts
 * @param {import('./accepted-vouchers.mjs').AcceptedVouchers} options.vouchers
 */
export function session({ payee, leastGraceSeconds, accounts, vouchers }) {
  const looks = new Looks(accounts);
  const turns = new Turns();

  return Method.toServer(sessionMethod, {
    // A challenge may be answered many times, as long as what it sells stays the same.
    stableBinding: ({ amount, currency, recipient, methodDetails }) => ({
      amount,
      currency,
      recipient,
      network: methodDetails.network,
      channelProgram: methodDetails.channelProgram,
    }),

    verify: ({ credential: { payload, challenge }, request }) =>
      turns.take(payload.channelId, async () => {
        const latest = vouchers.latest(payload.channelId);
        // The payer did not get our answer and sends the very same again: it is paid for already.
        if (latest?.challengeId === challenge.id && latest.signature === payload.voucher.signature) return receipt(latest);
        const accepted = { ...(await judge(payload, BigInt(request.amount), latest)), challengeId: challenge.id };
        await vouchers.keep(accepted);
        return receipt(accepted);
      }),
  });

  /**
   * The voucher as it is kept, if it is worth what it says.
   * @param {Payload} payload @param {bigint} price @param {Accepted | undefined} latest
   */
  async function judge({ channelId, voucher: signed }, price, latest) {
    const { cumulativeAmount, expiresAt = 0 } = signed.voucher;
    const cumulative = BigInt(cumulativeAmount);
    const look = async (/** @type {{ afresh: boolean }} */ { afresh }) => {
      const found = await looks.at(channelId, { afresh });
      if (!found) throw latest ? new Errors.ChannelClosedError() : new Errors.ChannelNotFoundError();
      return found;
    };
    let { session, key, now } = await look({ afresh: false });
    checkSignature(channelId, signed, session, key);
    // Perhaps it was topped up meanwhile.
    if (cumulative > session.cap) ({ session, now } = await look({ afresh: true }));
    checkSession(session, now);
    if (expiresAt !== 0 && BigInt(expiresAt) < now + SETTLE_WITHIN_SECONDS)
      throw new Errors.VerificationFailedError({ reason: 'the voucher expires before it can be settled' });
    if (cumulative > session.cap) throw new Errors.AmountExceedsDepositError({ reason: `${cumulative} of ${session.cap}` });

    // What the chain has seen counts, even if this provider has lost its file.
    const known = max(BigInt(latest?.cumulative ?? 0), session.proven);
    // More than the price is taken: the payer may have signed for an answer that never reached it.
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

  /** Whether money for us lies there and we can get at it. @param {Session} session @param {bigint} now unix seconds */
  function checkSession(session, now) {
    if (session.payee !== payee) throw new Errors.VerificationFailedError({ reason: 'the session pays somebody else' });
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

/** @param {string} channelId @param {Payload['voucher']} signed @param {Session} session @param {KeyObject} key the session's voucher key */
function checkSignature(channelId, { voucher, signer, signature }, session, key) {
  if (voucher.channelId !== channelId)
    throw new Errors.VerificationFailedError({ reason: 'the voucher is for another session than the payload' });
  if (signer !== session.voucherKey) throw new Errors.SignerMismatchError();
  const message = voucherBytes(channelId, BigInt(voucher.cumulativeAmount), BigInt(voucher.expiresAt ?? 0));
  const bytes = message && getBase58Encoder().encode(signature);
  if (message === undefined || bytes?.length !== 64 || !verify(null, message, key, Uint8Array.from(bytes)))
    throw new Errors.InvalidSignatureError();
}

/**
 * What is signed: `0x56 0x01 | session (32) | cumulative amount (u64 LE) | expiry (i64 LE)`. Undefined where the amount does not fit.
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

/** Looks at the chain, each used for a while. */
class Looks {
  /** @type {Map<string, Look>} */
  #seen = new Map();
  #accounts;

  /** @param {import('./session-account.mjs').SessionAccounts} accounts */
  constructor(accounts) {
    this.#accounts = accounts;
  }

  /**
   * The session, and the chain's time as far as our clock tells how much of it has passed since the look; null where none is.
   * @param {string} channelId
   */
  async at(channelId, { afresh = false }) {
    let look = this.#seen.get(channelId);
    if (!look || afresh || performance.now() - look.at > LOOK_AGAIN_MS) {
      this.#seen.delete(channelId);
      const session = await this.#accounts.read(/** @type {Address} */ (channelId));
      if (!session) return null;
      look = { session, key: publicKeyOf(session.voucherKey), at: performance.now() };
      this.#remember(channelId, look);
    }
    return { ...look, now: look.session.chainNow + BigInt(Math.floor((performance.now() - look.at) / 1000)) };
  }

  /** @param {string} channelId @param {Look} look */
  #remember(channelId, look) {
    const [oldest] = this.#seen.keys();
    if (oldest !== undefined && this.#seen.size >= MOST_LOOKS) this.#seen.delete(oldest);
    this.#seen.set(channelId, look);
  }
}

/** One at a time for each name: two vouchers of a session never meet. */
class Turns {
  /** @type {Map<string, Promise<unknown>>} */
  #last = new Map();

  /**
   * @template T
   * @param {string} name @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async take(name, work) {
    const turn = (this.#last.get(name) ?? Promise.resolve()).then(work, work);
    this.#last.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(name) === turn) this.#last.delete(name);
    }
  }
}
