import { aChallenge, aCharge, anAddress, aSession, errorOf, mint, payee, program } from '../../test/samples';
import { categoryOf, normaliseCategory } from './category';
import { parseChargeRequest } from './charge-request';
import { parseSessionRequest } from './session-request';

const charge = (changes: object = {}, details: object = {}) => parseChargeRequest(aChallenge(aCharge(changes, details)));
const session = (changes: object = {}, details: object = {}) => parseSessionRequest(aChallenge(aSession(changes, details)));
const blockhash = anAddress(9);

test('a charge has its members, and undefined for what is left out', () => {
  expect(charge()).toEqual({
    amount: 1_000n,
    currency: mint,
    recipient: payee,
    network: 'localnet',
    decimals: undefined,
    tokenProgram: undefined,
    feePayerKey: undefined,
    recentBlockhash: undefined,
    externalId: undefined,
    hasSplits: false,
  });
  const details = { decimals: 6, tokenProgram: program, feePayer: true, feePayerKey: payee, recentBlockhash: blockhash };
  expect(charge({ externalId: 'o-1' }, { ...details, splits: [{}] })).toMatchObject({
    decimals: 6,
    tokenProgram: program,
    feePayerKey: payee,
    recentBlockhash: blockhash,
    externalId: 'o-1',
    hasSplits: true,
  });
});

test('a charge in lamports, without methodDetails, is read', () => {
  expect(charge({ currency: 'sol', methodDetails: undefined })).toMatchObject({ currency: 'sol', network: undefined });
});

test('a charge whose provider does not pay the fee has no key that pays it', () => {
  expect(charge({}, { feePayer: false, feePayerKey: payee }).feePayerKey).toBeUndefined();
});

test.each<[object, object, string]>([
  [{ amount: 1 }, {}, 'amount is a whole number of base units as a text'],
  [{ currency: 7 }, {}, 'currency is a mint'],
  [{ currency: 'USDC' }, {}, 'currency is a mint'],
  [{ recipient: 'x' }, {}, 'recipient is an address'],
  [{ methodDetails: [] }, {}, 'methodDetails are an object'],
  [{}, { feePayer: 'yes' }, 'feePayer is true or false'],
  [{}, { splits: {} }, 'splits are a list'],
  [{}, { feePayerKey: 'x' }, 'feePayerKey is an address'],
  [{}, { feePayer: true }, 'feePayer pays by a feePayerKey'],
  [{}, { recentBlockhash: 'x' }, 'recentBlockhash is an address'],
  [{}, { network: 7 }, 'network must be a text of at most 64 characters'],
  [{}, { network: 'x'.repeat(65) }, 'network must be a text of at most 64 characters'],
  [{}, { decimals: 20 }, 'decimals are a whole number up to 19'],
  [{}, { decimals: -1 }, 'decimals are a whole number up to 19'],
  [{}, { decimals: 1.5 }, 'decimals are a whole number up to 19'],
  [{}, { decimals: '6' }, 'decimals are a whole number up to 19'],
  [{}, { tokenProgram: 'x' }, 'tokenProgram is an address'],
])('a malformed charge is rejected with the reason (case %#)', (changes, details, reason) => {
  expect(errorOf(() => charge(changes, details))).toBe(`request_invalid: the charge’s ${reason}`);
});

test('a charge has 0 to 19 decimals and a network of up to 64 characters', () => {
  expect([charge({}, { decimals: 0 }).decimals, charge({}, { decimals: 19 }).decimals]).toEqual([0, 19]);
  expect(charge({}, { network: 'x'.repeat(64) }).network).toHaveLength(64);
});

test('an externalId has at most 566 bytes', () => {
  expect(charge({ externalId: 'ü'.repeat(283) }).externalId).toHaveLength(283);
  expect(errorOf(() => charge({ externalId: 'ü'.repeat(284) }))).toContain('request_invalid: the charge’s externalId');
  expect(errorOf(() => charge({ externalId: 'x'.repeat(567) }))).toBe(
    'request_invalid: the charge’s externalId must be a text of at most 566 characters',
  );
});

test('a session has its members, and undefined for what is left out', () => {
  expect(session()).toEqual({
    amount: 1_000n,
    currency: mint,
    recipient: payee,
    network: 'localnet',
    decimals: undefined,
    tokenProgram: undefined,
    channelProgram: program,
    channelId: undefined,
    minVoucherDelta: undefined,
    suggestedDeposit: undefined,
    minimumDeposit: undefined,
    voucherSigner: 'client',
    hasSplits: false,
  });
  const details = { channelId: payee, minVoucherDelta: '1', voucherSigner: 'server', distributionSplits: [{}], decimals: 6 };
  expect(session({ suggestedDeposit: '2', minimumDeposit: '3' }, details)).toMatchObject({
    channelId: payee,
    minVoucherDelta: 1n,
    suggestedDeposit: 2n,
    minimumDeposit: 3n,
    voucherSigner: 'server',
    hasSplits: true,
    decimals: 6,
  });
});

test.each<[object, object, string]>([
  [{ amount: 1 }, {}, 'amount is a whole number of base units as a text'],
  [{ currency: 'sol' }, {}, 'currency is a mint'],
  [{ recipient: 'x' }, {}, 'recipient is an address'],
  [{ methodDetails: undefined }, {}, 'methodDetails are an object'],
  [{}, { channelProgram: undefined }, 'channelProgram is an address'],
  [{}, { channelId: 'x' }, 'channelId is an address'],
  [{}, { distributionSplits: {} }, 'distributionSplits are a list'],
  [{}, { network: undefined }, 'network is missing'],
  [{}, { network: 'x'.repeat(65) }, 'network must be a text of at most 64 characters'],
  [{}, { minVoucherDelta: 1 }, 'minVoucherDelta is a whole number of base units as a text'],
  [{ suggestedDeposit: '1.5' }, {}, 'suggestedDeposit is a whole number of base units as a text'],
  [{ minimumDeposit: 'x' }, {}, 'minimumDeposit is a whole number of base units as a text'],
  [{}, { voucherSigner: 7 }, 'voucherSigner must be a text of at most 64 characters'],
  [{}, { decimals: 20 }, 'decimals are a whole number up to 19'],
])('a malformed session is rejected with the reason (case %#)', (changes, details, reason) => {
  expect(errorOf(() => session(changes, details))).toBe(`request_invalid: the session’s ${reason}`);
});

test.each([
  ['data', 'data'],
  [' Data ', 'data'],
  ['a1_b-c', 'a1_b-c'],
  ['1', '1'],
  ['x'.repeat(32), 'x'.repeat(32)],
  ['x'.repeat(33), null],
  ['', null],
  ['-a', null],
  ['_a', null],
  ['a b', null],
  ['ü', null],
])('normaliseCategory of %j is %j', (text, category) => {
  expect(normaliseCategory(text)).toBe(category);
});

test.each([
  ['request.methodDetails', aChallenge(aCharge({}, { category: 'data' }))],
  ['request', aChallenge(aCharge({ category: 'data' }))],
  ['opaque', { ...aChallenge(), opaqueTexts: { category: 'data' } }],
  ['its own parameter', aChallenge(aCharge(), { category: 'data' })],
  ['several places', aChallenge(aCharge({ category: ' DATA' }, { category: 'Data' }), { category: 'data' })],
])('categoryOf reads the category in %s', (_where, challenge) => {
  expect(categoryOf(challenge)).toBe('data');
});

test('categoryOf answers null where none is claimed', () => {
  expect([categoryOf(aChallenge()), categoryOf(aChallenge(aCharge({ category: null, methodDetails: null })))]).toEqual([null, null]);
});

test('categoryOf rejects a claim that is no category, and claims that differ', () => {
  expect(errorOf(() => categoryOf(aChallenge(aCharge({ category: 7 }))))).toBe(
    'request_invalid: the category has 1 to 32 characters of a-z, 0-9, "_" and "-"',
  );
  expect(errorOf(() => categoryOf(aChallenge(aCharge({ category: 'data' }, { category: 'news' }), { category: 'data' })))).toBe(
    'category_conflict: the challenge claims several categories: news, data, data',
  );
});
