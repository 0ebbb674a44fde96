import { createHash } from 'node:crypto';
import { aSession } from '../../sessions/session.builder';
import type { Asked } from '../methods/payment-method';
import {
  a402,
  aChargeChallenge,
  anAddress,
  aSessionChallenge,
  type ChallengeChanges,
  EXPIRES_AT,
  IDENTITY,
  PAYEE,
} from '../payment.builder';
import { Declined } from '../payments.errors';
import { quoteCharge, quoteSession, type SessionTerms, type Terms } from './mpp';

const NOW = new Date('2026-03-01T00:00:00.000Z');
const DAY_MS = 86_400_000;
const terms: Terms = { now: NOW, identity: IDENTITY, maxMicroUsdc: 1_000n };
const [OTHER, TOKEN_2022] = [anAddress(9), 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'];
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const session: SessionTerms = { payee: PAYEE, address: anAddress(5), category: null };

const charge = (changes: ChallengeChanges = {}, asked: Partial<Asked> = {}, given = terms) =>
  quoteCharge(a402([aChargeChallenge(changes)], asked), given);
const voucher = (changes: ChallengeChanges = {}, of: SessionTerms | null = session, asked: Partial<Asked> = {}, given = terms) =>
  quoteSession(a402([aSessionChallenge(changes)], asked), given, of);

const SPLITS = 'recipient_mismatch: The challenge splits the amount among others than its recipient.';
const ANOTHER_SESSION = 'challenge_invalid: The challenge is for another session.';
const ADS: ChallengeChanges = { request: { category: 'ads' } };
const KNOWN_FOR = 'category_conflict: The provider is known for';
const DEFECT = "The provider's challenge breaks a rule";
const WANTS = 'unsupported_method: The provider wants';
const PAYS = 'recipient_mismatch: The session pays';
const MINT = 'mint_mismatch: The challenge';
const EXPIRED = 'challenge_expired: The challenge expired at 2026-03-01T00:05:00.000Z.';

/** A provider whose payee, or categories too, the operator pinned. */
const pinned = (payee: string, categories: string[] | null = null) => ({ provider: { payee, categories } });

/** The decline that is thrown, or undefined. Other errors pass. */
function declined(work: () => unknown): Declined | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof Declined) return error;
    throw error;
  }
  return undefined;
}

const hash = (text: string, encoding: 'base64' | 'base64url' = 'base64') => createHash('sha256').update(text).digest(encoding);

/** Rule and message of the decline. */
function declineOf(work: () => unknown): string {
  const decline = declined(work);
  return decline ? `${decline.violation.rule}: ${decline.message}` : 'none';
}

describe('quoteCharge', () => {
  test('returns amount, payee, category and challenge of a charge', () => {
    expect(charge({ request: { category: 'Data' } })).toMatchObject({
      microUsdc: 1_000n,
      payee: PAYEE,
      category: 'data',
      challengeId: 'charge-1',
      challenge: { id: 'charge-1', realm: 'api.example.com' },
      charge: { amount: 1_000n, currency: IDENTITY.usdcMint },
    });
    expect(charge().category).toBeNull();
  });

  test('accepts the recipient that the operator pinned', () => {
    expect(charge({}, pinned(PAYEE)).payee).toBe(PAYEE);
  });

  test.each<[string, () => unknown, string]>([
    ['splits the amount', () => charge({ details: { splits: [{ recipient: OTHER, amount: '1' }] } }), SPLITS],
    [
      'pays another than the pinned recipient',
      () => charge({}, pinned(OTHER)),
      `recipient_mismatch: The provider is to be paid at ${OTHER}, and asks for ${PAYEE}.`,
    ],
    ['is malformed', () => charge({ request: { recipient: 'x' } }), `challenge_invalid: ${DEFECT}: the charge’s recipient is an address.`],
    [
      'claims two categories',
      () => charge({ request: { category: 'data' }, details: { category: 'search' } }),
      `category_conflict: ${DEFECT}: the challenge claims several categories: search, data.`,
    ],
  ])('declines a charge that %s', (_what, work, decline) => {
    expect(declineOf(work)).toBe(decline);
  });
});

describe('quoteSession', () => {
  test('returns amount, payee and challenge of a voucher, and no charge', () => {
    const quote = voucher();
    expect(quote).toMatchObject({ microUsdc: 1_000n, payee: PAYEE, category: null, challengeId: 'session-1' });
    expect(quote).not.toHaveProperty('charge');
  });

  test('takes the category of the session where the challenge claims none, and the reverse', () => {
    expect(voucher({}, { ...session, category: 'data' }).category).toBe('data');
    expect(voucher({ request: { category: 'data' } }).category).toBe('data');
    expect(voucher({ request: { category: 'data' } }, { ...session, category: 'data' }).category).toBe('data');
  });

  test('accepts the channel of the session, and a session that is not open yet', () => {
    expect(voucher({ details: { channelId: session.address } }).payee).toBe(PAYEE);
    expect(voucher({}, null).payee).toBe(PAYEE);
    expect(voucher({}, null, pinned(PAYEE)).payee).toBe(PAYEE);
  });

  test('pays the payee of the session even where another recipient is pinned by now', () => {
    expect(voucher({}, session, pinned(OTHER)).payee).toBe(PAYEE);
  });

  test('accepts a least voucher of the amount and declines one above it', () => {
    expect(voucher({ details: { minVoucherDelta: '1000' } }).microUsdc).toBe(1_000n);
    expect(declineOf(() => voucher({ details: { minVoucherDelta: '1001' } }))).toBe(
      'challenge_invalid: The challenge asks for less than its least voucher.',
    );
  });

  test.each<[string, () => unknown, string]>([
    ['of another program', () => voucher({ details: { channelProgram: OTHER } }), `${WANTS} a session of the program ${OTHER}.`],
    ['that the provider signs', () => voucher({ details: { voucherSigner: 'server' } }), `${WANTS} to sign the vouchers itself.`],
    ['that splits the amount', () => voucher({ details: { distributionSplits: [{}] } }), SPLITS],
    ['for another payee', () => voucher({ request: { recipient: OTHER } }), `${PAYS} ${PAYEE}, and the provider asks for ${OTHER}.`],
    ['for a payee that is not pinned', () => voucher({}, null, pinned(OTHER)), `${PAYS} ${OTHER}, and the provider asks for ${PAYEE}.`],
    ['of another channel', () => voucher({ details: { channelId: OTHER } }), ANOTHER_SESSION],
    ['of a channel, of a session that is not open yet', () => voucher({ details: { channelId: OTHER } }, null), ANOTHER_SESSION],
    [
      'of another category than the session',
      () => voucher({ request: { category: 'search' } }, { ...session, category: 'data' }),
      'category_conflict: The session is for data, and the challenge says search.',
    ],
  ])('declines a voucher %s', (_what, work, decline) => {
    expect(declineOf(work)).toBe(decline);
  });
});

describe.each([
  { name: 'quoteCharge', build: aChargeChallenge, quoteAsked: quoteCharge, quote: charge },
  {
    name: 'quoteSession',
    build: aSessionChallenge,
    quoteAsked: (asked: Asked, given: Terms) => quoteSession(asked, given, session),
    quote: (changes?: ChallengeChanges, asked?: Partial<Asked>, given?: Terms) => voucher(changes, session, asked, given),
  },
])('$name', ({ build, quoteAsked, quote }) => {
  test('accepts the max_amount and declines one micro-USDC more, with both numbers', () => {
    expect(quote({}, {}, { ...terms, maxMicroUsdc: 1_000n }).microUsdc).toBe(1_000n);
    expect(declined(() => quote({}, {}, { ...terms, maxMicroUsdc: 999n }))).toMatchObject({
      violation: { rule: 'max_amount', attempted_usdc: '0.001000', limit_usdc: '0.000999' },
      message: "The provider asks for 0.001000 USDC, more than the caller's max_amount, 0.000999 USDC.",
    });
  });

  test.each([
    [1, 'none'],
    [0, EXPIRED],
    [-1, EXPIRED],
    [DAY_MS, 'none'],
    [DAY_MS + 1, 'challenge_invalid: The challenge is open for more than a day.'],
  ])('with %i ms until the challenge expires declines by %s', (ms, decline) => {
    const now = new Date(EXPIRES_AT.getTime() - ms);
    expect(declineOf(() => quote({}, {}, { ...terms, now }))).toBe(decline);
  });

  test.each<[string, (text: string) => string]>([
    ['of RFC 9530', (text) => `sha-256=:${hash(text)}:`],
    ['without colons', (text) => `sha-256=${hash(text)}`],
    ['in base64url', (text) => `sha-256=${hash(text, 'base64url')}`],
  ])('accepts the digest of the request body in the form %s, and of an empty body', (_form, digestOf) => {
    expect(declineOf(() => quote({ params: { digest: digestOf('{"q":1}') } }, { body: Buffer.from('{"q":1}') }))).toBe('none');
    expect(declineOf(() => quote({ params: { digest: digestOf('') } }, { body: null }))).toBe('none');
  });

  test.each([
    ['of another body', `sha-256=:${hash('other')}:`],
    ['of another algorithm', `sha-512=:${createHash('sha512').update('').digest('base64')}:`],
    ['with text before it', `x sha-256=:${hash('')}:`],
    ['with text behind it', `sha-256=:${hash('')}: x`],
    ['that is empty', 'sha-256=::'],
  ])('declines a digest %s', (_what, digest) => {
    expect(declineOf(() => quote({ params: { digest } }))).toBe('challenge_invalid: The challenge is for another request body.');
  });

  test('declines to overwrite the Authorization header of the request, unless the challenge names another header', () => {
    const asked = { hasAuthorization: true };
    expect(declineOf(() => quote({}, asked))).toBe(
      'unsupported_method: The request has an Authorization of its own, and the provider wants the credential in its place.',
    );
    expect(declineOf(() => quote({ params: { header: 'Payment-Authorization' } }, asked))).toBe('none');
  });

  test.each([
    ['mainnet-beta', 'mainnet', 'none'],
    ['mainnet-beta', 'mainnet-beta', 'none'],
    ['devnet', 'devnet', 'none'],
    ['devnet', 'mainnet', 'network_mismatch: The challenge is for mainnet, and this service is on devnet.'],
    ['mainnet-beta', 'devnet', 'network_mismatch: The challenge is for devnet, and this service is on mainnet-beta.'],
  ] as const)('on %s with a challenge for %s declines by %s', (cluster, network, decline) => {
    expect(declineOf(() => quote({ details: { network } }, {}, { ...terms, identity: { ...IDENTITY, cluster } }))).toBe(decline);
  });

  test.each<[string, ChallengeChanges, string]>([
    ['that asks for nothing', { request: { amount: '0' } }, 'challenge_invalid: The challenge asks for nothing.'],
    ['without an expiry', { params: { expires: undefined } }, 'challenge_invalid: The challenge does not say when it expires.'],
    [
      'for another mint',
      { request: { currency: OTHER } },
      `mint_mismatch: The challenge asks for ${OTHER}, and this service pays the USDC of the mint ${IDENTITY.usdcMint}.`,
    ],
    ['for 5 decimals', { details: { decimals: 5 } }, `${MINT} says that USDC has 5 decimals.`],
    ['for 7 decimals', { details: { decimals: 7 } }, `${MINT} says that USDC has 7 decimals.`],
    [
      'for another token program',
      { details: { tokenProgram: TOKEN_2022 } },
      `${MINT} says that USDC belongs to the program ${TOKEN_2022}.`,
    ],
  ])('declines a challenge %s', (_what, changes, decline) => {
    expect(declineOf(() => quote(changes))).toBe(decline);
  });

  test.each<[string, ChallengeChanges, bigint]>([
    ['for one micro-USDC', { request: { amount: '1' } }, 1n],
    ['with the decimals and the token program of USDC', { details: { decimals: 6, tokenProgram: TOKEN_PROGRAM } }, 1_000n],
    ['without decimals', { details: { decimals: undefined } }, 1_000n],
  ])('accepts a challenge %s', (_what, changes, microUsdc) => {
    expect(quote(changes).microUsdc).toBe(microUsdc);
  });

  test.each<[string, string[] | null, string | undefined, string]>([
    ['any category', null, 'data', 'none'],
    ['a known category', ['search', 'data'], 'data', 'none'],
    ['an unknown category', ['search', 'news'], 'data', `${KNOWN_FOR} search, news, and the challenge says data.`],
    ['no category', ['search'], undefined, `${KNOWN_FOR} search, and the challenge says nothing.`],
    ['a category of none', [], 'data', `${KNOWN_FOR} nothing, and the challenge says data.`],
  ])('declines by category: %s, where the provider has %j and the challenge claims %s: %s', (_what, categories, category, decline) => {
    expect(declineOf(() => quote({ request: { category } }, pinned(PAYEE, categories)))).toBe(decline);
  });

  test('throws an unexpected error of a later challenge and not the decline of an earlier one', () => {
    const asked = a402([build({ params: { expires: undefined } }), build()]);
    const broken: Terms = { ...terms, identity: undefined as never };
    expect(() => quoteAsked(asked, broken)).toThrow(TypeError);
  });

  test.each([
    ['without a challenge', [], 'The provider answered 402 without a Payment challenge.'],
    ['whose only challenge cannot be read', ['Payment id="a"'], `${DEFECT}: a Payment challenge: realm is missing.`],
  ])('declines a 402 %s', (_what, challenges, message) => {
    expect(declineOf(() => quoteAsked(a402(challenges), terms))).toBe(`challenge_invalid: ${message}`);
  });
});

test('a charge of an unnamed network is declined as network_mismatch', () => {
  expect(declineOf(() => charge({ details: { network: undefined } }))).toBe(
    'network_mismatch: The challenge is for a network that it does not name, and this service is on localnet.',
  );
});

test('the first payable challenge is quoted, behind others and behind one that is declined', () => {
  const challenges = [
    aSessionChallenge(),
    aChargeChallenge({ params: { id: 'other', method: 'tempo' } }),
    aChargeChallenge({ params: { id: 'dear' }, request: { amount: '1001' } }),
    aChargeChallenge({ params: { id: 'second' } }),
    aChargeChallenge({ params: { id: 'third' } }),
  ];
  expect(quoteCharge(a402(challenges), terms).challengeId).toBe('second');
});

test('of several declined challenges the first one gives the reason', () => {
  const challenges = [aChargeChallenge({ request: { amount: '1001' } }), aChargeChallenge({ request: { amount: '0' } })];
  expect(declineOf(() => quoteCharge(a402(challenges), terms))).toContain('max_amount');
  expect(declineOf(() => quoteCharge(a402(challenges.toReversed()), terms))).toContain('asks for nothing');
});

describe('a provider that takes other methods and intents only', () => {
  const TO_CHARGE =
    'and solana/charge was to pay it. To pay it, add open_session to the request, or session_id of an open session with it.';
  const TEMPO = aChargeChallenge({ params: { method: 'tempo' } });
  const TO_SESSION = 'and solana/session was to pay it. To pay it, leave session_id and open_session out.';

  test.each<[string, () => unknown, string]>([
    ['sessions', () => quoteCharge(a402([aSessionChallenge()]), terms), `solana/session, ${TO_CHARGE}`],
    [
      'sessions, and charges of another method',
      () => quoteCharge(a402([aSessionChallenge(), TEMPO]), terms),
      `solana/session, tempo/charge, ${TO_CHARGE}`,
    ],
    ['single payments', () => quoteSession(a402([aChargeChallenge()]), terms, session), `solana/charge, ${TO_SESSION}`],
    [
      'single payments, of a stored session',
      () => quoteSession(a402([aChargeChallenge()]), terms, aSession()),
      `solana/charge, ${TO_SESSION}`,
    ],
  ])('a provider that takes only %s is declined with the list of them and the way to pay it', (_what, work, takes) => {
    expect(declineOf(work)).toBe(`unsupported_method: The provider takes ${takes}`);
  });
});

test.each<[string, string, string[], () => unknown]>([
  ['the pinned payee', 'recipient_mismatch', [OTHER], () => charge({}, pinned(OTHER))],
  ['the payee of the session', 'recipient_mismatch', [OTHER], () => voucher({}, { ...session, payee: OTHER })],
  ['the pinned categories', 'category_conflict', ['data', 'search'], () => charge(ADS, pinned(PAYEE, ['data', 'search']))],
  ['the category of the session', 'category_conflict', ['data'], () => voucher(ADS, { ...session, category: 'data' })],
])('a decline by %s shows what would be allowed', (_what, rule, allowed, work) => {
  expect(declined(work)?.violation).toMatchObject({ rule, allowed });
});
