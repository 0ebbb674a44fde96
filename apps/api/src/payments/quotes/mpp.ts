/** The price in a provider's Payment challenges, checked against everything that needs no chain. */
import { createHash } from 'node:crypto';
import { TOKEN_PROGRAM, USDC_DECIMALS, type ChainIdentity } from '#chain';
import {
  MppError,
  categoryOf,
  parseChallenges,
  parseChargeRequest,
  parseSessionRequest,
  type Challenge,
  type ChargeRequest,
  type SessionRequest,
} from '#mpp';
import { formatUsdc } from '../../money/usdc';
import type { Session } from '../../sessions';
import type { Asked, Quote } from '../methods/payment-method';
import { Declined } from '../payments.errors';

/** The longest life of a challenge that is paid. mppx gives challenges five minutes. */
const MAX_LIFE_MS = 24 * 60 * 60_000;

/** The terms that every price is checked against, beside the provider's own. */
export interface Terms {
  now: Date;
  identity: ChainIdentity;
  /** The caller's bound for this payment. */
  maxMicroUsdc: bigint;
}

/** The terms that a session binds its payments to. */
export type SessionTerms = Pick<Session, 'payee' | 'address' | 'category'>;

/** A price asked in a Payment challenge. */
export interface MppQuote extends Quote {
  challengeId: string;
  challenge: Challenge;
}

/** A price for a single transfer. */
export interface ChargeQuote extends MppQuote {
  charge: ChargeRequest;
}

/**
 * The first challenge that a voucher may answer: of the session, or of one that is to be opened if `session` is null.
 * @throws Declined, with the reason against the first challenge of the intent.
 */
export function quoteSession(asked: Asked, terms: Terms, session: SessionTerms | null): MppQuote {
  return firstQuote('session', asked, terms, (challenge) => {
    const request = parseSessionRequest(challenge);
    requireSession(request, asked, terms, session);
    const category = categoryOf(challenge) ?? session?.category ?? null;
    if (session && session.category !== null && category !== session.category)
      throw Declined.because('category_conflict', `The session is for ${session.category}, and the challenge says ${category}.`, {
        allowed: [session.category],
      });
    return { challenge, ...namesOf(challenge, terms), microUsdc: request.amount, payee: request.recipient, category };
  });
}

/** The first challenge that a single transfer may answer. @throws Declined, with the reason against the first challenge of the intent. */
export function quoteCharge(asked: Asked, terms: Terms): ChargeQuote {
  return firstQuote('charge', asked, terms, (challenge) => {
    const charge = parseChargeRequest(challenge);
    requireCharge(charge, asked, terms);
    return {
      challenge,
      ...namesOf(challenge, terms),
      microUsdc: charge.amount,
      payee: charge.recipient,
      category: categoryOf(challenge) ?? null,
      charge,
    };
  });
}

export function namesOf({ id, expiresAt }: Challenge, { identity }: Terms): Pick<MppQuote, 'challengeId' | 'network' | 'expiresAt'> {
  return { challengeId: id, network: identity.cluster, expiresAt: expiresAt ?? null };
}

/** Whether a challenge asks for a session, or for a charge, on Solana. */
export function offersIntent({ challenges }: Asked, intent: 'charge' | 'session'): boolean {
  return parseChallenges(challenges).challenges.some((each) => each.method === 'solana' && each.intent === intent);
}

export function firstQuote<Q extends MppQuote>(
  intent: 'charge' | 'session',
  asked: Asked,
  terms: Terms,
  read: (challenge: Challenge) => Q,
): Q {
  const { challenges, defects } = parseChallenges(asked.challenges);
  let declined: Declined | undefined;
  for (const challenge of challenges) {
    if (challenge.method !== 'solana' || challenge.intent !== intent) continue;
    try {
      requireValidity(challenge, asked, terms);
      const quote = read(challenge);
      requireCategory(quote, asked);
      requireAmount(quote, terms);
      return quote;
    } catch (error) {
      const reason = error instanceof MppError ? brokenRule(error) : error;
      if (!(reason instanceof Declined)) throw reason;
      declined ??= reason;
    }
  }
  if (declined) throw declined;
  if (challenges.length === 0)
    throw defects[0]
      ? brokenRule(defects[0])
      : Declined.because('challenge_invalid', 'The provider answered 402 without a Payment challenge.');
  const offered = challenges.map(({ method, intent: what }) => `${method}/${what}`).join(', ');
  throw Declined.because(
    'unsupported_method',
    `The provider takes ${offered}, and solana/${intent} was to pay it.${adviceAfter(intent, asked)}`,
  );
}

/** The advice to the caller if the provider takes the other intent. */
function adviceAfter(intent: 'charge' | 'session', asked: Asked): string {
  if (intent === 'charge' && offersIntent(asked, 'session'))
    return ' To pay it, add open_session to the request, or session_id of an open session with it.';
  if (intent === 'session' && offersIntent(asked, 'charge')) return ' To pay it, leave session_id and open_session out.';
  return '';
}

/** @throws Declined if the price is above the caller's bound. */
export function requireAmount({ microUsdc }: Pick<Quote, 'microUsdc'>, { maxMicroUsdc }: Pick<Terms, 'maxMicroUsdc'>): void {
  if (microUsdc <= maxMicroUsdc) return;
  const [attempted, limit] = [formatUsdc(microUsdc), formatUsdc(maxMicroUsdc)];
  throw Declined.because('max_amount', `The provider asks for ${attempted} USDC, more than the caller's max_amount, ${limit} USDC.`, {
    limit_usdc: limit,
    attempted_usdc: attempted,
  });
}

/** The challenge has not expired, is bound to this request body, and its credential overwrites no header of the request. */
function requireValidity({ expiresAt, digest, header }: Challenge, { body, hasAuthorization }: Asked, { now }: Terms): void {
  if (!expiresAt) throw Declined.because('challenge_invalid', 'The challenge does not say when it expires.');
  if (expiresAt <= now) throw Declined.because('challenge_expired', `The challenge expired at ${expiresAt.toISOString()}.`);
  if (expiresAt.getTime() - now.getTime() > MAX_LIFE_MS)
    throw Declined.because('challenge_invalid', 'The challenge is open for more than a day.');
  if (digest !== undefined && !isDigestOf(digest, body))
    throw Declined.because('challenge_invalid', 'The challenge is for another request body.');
  if (hasAuthorization && header === undefined)
    throw Declined.because(
      'unsupported_method',
      'The request has an Authorization of its own, and the provider wants the credential in its place.',
    );
}

/** `sha-256=:<base64>:` of RFC 9530, or without the colons, as mppx writes it. */
function isDigestOf(digest: string, body: Buffer | null): boolean {
  const [, claimed] = /^sha-256=:?([A-Za-z0-9+/_-]+=*):?$/.exec(digest) ?? [];
  return (
    claimed !== undefined &&
    Buffer.from(claimed, 'base64').equals(
      createHash('sha256')
        .update(body ?? '')
        .digest(),
    )
  );
}

function requireCharge(charge: ChargeRequest, { provider }: Asked, { identity }: Terms): void {
  requireMoney(charge, identity);
  if (charge.hasSplits) throw Declined.because('recipient_mismatch', 'The challenge splits the amount among others than its recipient.');
  if (provider?.payee && provider.payee !== charge.recipient)
    throw Declined.because('recipient_mismatch', `The provider is to be paid at ${provider.payee}, and asks for ${charge.recipient}.`, {
      allowed: [provider.payee],
    });
}

function requireSession(request: SessionRequest, { provider }: Asked, { identity }: Terms, session: SessionTerms | null): void {
  requireMoney(request, identity);
  if (request.channelProgram !== identity.programId)
    throw Declined.because('unsupported_method', `The provider wants a session of the program ${request.channelProgram}.`);
  if (request.voucherSigner !== 'client') throw Declined.because('unsupported_method', 'The provider wants to sign the vouchers itself.');
  if (request.hasSplits) throw Declined.because('recipient_mismatch', 'The challenge splits the amount among others than its recipient.');
  const payee = session?.payee ?? provider?.payee ?? request.recipient;
  if (payee !== request.recipient)
    throw Declined.because('recipient_mismatch', `The session pays ${payee}, and the provider asks for ${request.recipient}.`, {
      allowed: [payee],
    });
  if (request.channelId !== undefined && request.channelId !== session?.address)
    throw Declined.because('challenge_invalid', 'The challenge is for another session.');
  if (request.minVoucherDelta !== undefined && request.minVoucherDelta > request.amount)
    throw Declined.because('challenge_invalid', 'The challenge asks for less than its least voucher.');
}

export function requireMoney(
  { amount, currency, network, decimals, tokenProgram }: ChargeRequest | SessionRequest,
  { usdcMint, cluster }: ChainIdentity,
): void {
  const isHere = network === cluster || (network === 'mainnet' && cluster === 'mainnet-beta');
  if (!isHere)
    throw Declined.because(
      'network_mismatch',
      `The challenge is for ${network ?? 'a network that it does not name'}, and this service is on ${cluster}.`,
    );
  if (currency !== usdcMint)
    throw Declined.because('mint_mismatch', `The challenge asks for ${currency}, and this service pays the USDC of the mint ${usdcMint}.`);
  if (decimals !== undefined && decimals !== USDC_DECIMALS)
    throw Declined.because('mint_mismatch', `The challenge says that USDC has ${decimals} decimals.`);
  if (tokenProgram !== undefined && tokenProgram !== TOKEN_PROGRAM)
    throw Declined.because('mint_mismatch', `The challenge says that USDC belongs to the program ${tokenProgram}.`);
  if (amount === 0n) throw Declined.because('challenge_invalid', 'The challenge asks for nothing.');
}

/** The categories that the operator knows the provider by: a challenge may only narrow them. */
function requireCategory({ category }: MppQuote, { provider }: Asked): void {
  const known = provider?.categories ?? null;
  if (known !== null && (category === null || !known.includes(category)))
    throw Declined.because(
      'category_conflict',
      `The provider is known for ${known.join(', ') || 'nothing'}, and the challenge says ${category ?? 'nothing'}.`,
      { allowed: known },
    );
}

function brokenRule({ code, message }: MppError): Declined {
  return Declined.because(
    code === 'category_conflict' ? 'category_conflict' : 'challenge_invalid',
    `The provider's challenge breaks a rule: ${message}.`,
  );
}
