/** What a provider asks for, judged by everything that can be judged without the chain. */
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
import { formatUsdc } from '../money/usdc';
import { Declined } from './payments.errors';

/** Challenges that are open for longer are a mistake, or a trap: mppx gives them five minutes. */
const MAX_LIFE_MS = 24 * 60 * 60_000;

/** What is asked for, and on what terms it may be met. */
export interface Terms {
  now: Date;
  identity: ChainIdentity;
  /** The session that is to pay, or `new` for one that is to be opened; null for a charge. */
  session: { payee: string; address: string | null; category: string | null } | 'new' | null;
  /** Whom the operator says this host is, if it says. */
  provider: { payee: string; categories: string[] | null } | null;
  maxMicroUsdc: bigint;
  /** The body that was sent, for challenges that are bound to it. */
  body: Buffer | null;
  /** Whether the request has an Authorization of its own. */
  hasAuthorization: boolean;
}

/** A challenge that may be met, and its price. */
export interface Quote {
  challenge: Challenge;
  microUsdc: bigint;
  /** Owner of the token account that is to be paid. */
  payee: string;
  category: string | null;
  /** The details of a charge; null for a session's. */
  charge: ChargeRequest | null;
}

/** The first challenge that may be met. @throws Declined, with the reason that speaks against the first. */
export function quoteOf(values: readonly string[], terms: Terms): Quote {
  const intent = terms.session === null ? 'charge' : 'session';
  const { challenges, defects } = parseChallenges(values);
  let declined: Declined | undefined;
  for (const challenge of challenges) {
    if (challenge.method !== 'solana' || challenge.intent !== intent) continue;
    try {
      return quoteFor(challenge, intent, terms);
    } catch (error) {
      if (!(error instanceof Declined)) throw error;
      declined ??= error;
    }
  }
  if (declined) throw declined;
  if (challenges.length === 0)
    throw defects[0]
      ? brokenRule(defects[0])
      : Declined.because('challenge_invalid', 'The provider answered 402 without a Payment challenge.');
  const offered = challenges.map(({ method, intent: what }) => `${method}/${what}`).join(', ');
  throw Declined.because('unsupported_method', `The provider takes ${offered}, and solana/${intent} was to pay it.`);
}

function quoteFor(challenge: Challenge, intent: 'charge' | 'session', terms: Terms): Quote {
  requireValidity(challenge, terms);
  const asked = read(() => (intent === 'session' ? sessionQuote(challenge, terms) : chargeQuote(challenge, terms)));
  const category = read(() => categoryOf(challenge)) ?? (terms.session === null || terms.session === 'new' ? null : terms.session.category);
  const quote = { challenge, category, ...asked };
  requireCategory(quote, terms);
  if (quote.microUsdc > terms.maxMicroUsdc) {
    const [attempted, limit] = [formatUsdc(quote.microUsdc), formatUsdc(terms.maxMicroUsdc)];
    throw Declined.because('max_amount', `The provider asks for ${attempted} USDC, more than the caller's max_amount, ${limit} USDC.`, {
      limit_usdc: limit,
      attempted_usdc: attempted,
    });
  }
  return quote;
}

/** Runs until it is over, is meant for this body, and its credential takes nothing over. */
function requireValidity({ expiresAt, digest, header }: Challenge, { now, body, hasAuthorization }: Terms): void {
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

type Asked = Pick<Quote, 'microUsdc' | 'payee' | 'charge'>;

function chargeQuote(challenge: Challenge, { identity, provider }: Terms): Asked {
  const charge = parseChargeRequest(challenge);
  requireMoney(charge, identity);
  if (charge.hasSplits) throw Declined.because('recipient_mismatch', 'The challenge splits the amount among others than its recipient.');
  if (provider && provider.payee !== charge.recipient)
    throw Declined.because('recipient_mismatch', `The provider is to be paid at ${provider.payee}, and asks for ${charge.recipient}.`);
  return { microUsdc: charge.amount, payee: charge.recipient, charge };
}

function sessionQuote(challenge: Challenge, { identity, session, provider }: Terms): Asked {
  const asked = parseSessionRequest(challenge);
  requireMoney(asked, identity);
  if (asked.channelProgram !== identity.programId)
    throw Declined.because('unsupported_method', `The provider wants a session of the program ${asked.channelProgram}.`);
  if (asked.voucherSigner !== 'client') throw Declined.because('unsupported_method', 'The provider wants to sign the vouchers itself.');
  if (asked.hasSplits) throw Declined.because('recipient_mismatch', 'The challenge splits the amount among others than its recipient.');
  const payee = session === 'new' || session === null ? (provider?.payee ?? asked.recipient) : session.payee;
  if (payee !== asked.recipient)
    throw Declined.because('recipient_mismatch', `The session pays ${payee}, and the provider asks for ${asked.recipient}.`);
  const address = session === 'new' || session === null ? undefined : session.address;
  if (asked.channelId !== undefined && asked.channelId !== address)
    throw Declined.because('challenge_invalid', 'The challenge is for another session.');
  if (asked.minVoucherDelta !== undefined && asked.minVoucherDelta > asked.amount)
    throw Declined.because('challenge_invalid', 'The challenge asks for less than its least voucher.');
  return { microUsdc: asked.amount, payee, charge: null };
}

function requireMoney(
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

/** A claim may only narrow: a session's own category, and those that the operator knows the provider by, hold. */
function requireCategory({ category }: Quote, { session, provider }: Terms): void {
  const own = session === 'new' || session === null ? null : session.category;
  if (own !== null && category !== own)
    throw Declined.because('category_conflict', `The session is for ${own}, and the challenge says ${category}.`);
  const known = provider?.categories ?? null;
  if (known !== null && (category === null || !known.includes(category)))
    throw Declined.because(
      'category_conflict',
      `The provider is known for ${known.join(', ') || 'nothing'}, and the challenge says ${category ?? 'nothing'}.`,
    );
}

/** What the provider wrote, or the reason for not understanding it. */
function read<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof MppError)) throw error;
    throw brokenRule(error);
  }
}

function brokenRule({ code, message }: MppError): Declined {
  return Declined.because(
    code === 'category_conflict' ? 'category_conflict' : 'challenge_invalid',
    `The provider's challenge breaks a rule: ${message}.`,
  );
}
