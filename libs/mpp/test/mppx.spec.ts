import fc from 'fast-check';
import {
  categoryOf,
  parseChallenges,
  parseCredential,
  parseReceipt,
  serialiseChallenge,
  serialiseCredential,
  serialiseReceipt,
  type Challenge,
} from '../src';
import { Oracle } from './oracle';

jest.setTimeout(60_000);

let oracle: Oracle;
beforeAll(() => void (oracle = new Oracle()));
afterAll(() => oracle.close());

/** Texts with everything that quoting has to deal with. */
const text = fc.string({
  unit: fc.constantFrom('a', 'Z', '0', ' ', '"', '\\', ',', '=', 'ü', '—', '“', '😀', 'u00e9', 'Payment '),
  maxLength: 20,
});
const name = fc.string({ unit: fc.constantFrom('a', 'b', 'id', 'x1'), minLength: 1, maxLength: 6 });
const date = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((moment) => moment.toISOString());
const json = fc.dictionary(name, fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.dictionary(name, text)), { maxKeys: 4 });
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

/** A challenge as mppx takes it. */
const challenge = fc.record({
  id: fc.string({ unit: fc.constantFrom('a', 'B', '1', '-', '_'), minLength: 1, maxLength: 40 }),
  realm: text,
  method: fc.constantFrom('solana', 'tempo', 'demo'),
  intent: fc.constantFrom('charge', 'session'),
  request: json,
  description: optional(text.filter((description) => description !== '')),
  expires: optional(date),
  header: optional(fc.constant('Payment-Authorization')),
  meta: optional(fc.dictionary(name, text, { minKeys: 1, maxKeys: 3 })),
});
const defined = (object: object) => JSON.parse(JSON.stringify(object)) as Record<string, unknown>;

test('what mppx writes is read as it was meant, alone and among others', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(challenge, { minLength: 1, maxLength: 3 }), async (given) => {
      const written = await Promise.all(given.map((each) => oracle.ask<string>('serialiseChallenge', each)));
      for (const values of [written, [written.join(', ')], [`Basic realm="x, Payment", ${written.join(', Bearer error="a", ')}`]]) {
        const { challenges, defects } = parseChallenges(values);
        expect(defects).toEqual([]);
        expect(
          challenges.map(({ id, realm, method, intent, requestObject, description, expires, header, opaqueTexts }) =>
            defined({ id, realm, method, intent, request: requestObject, description, expires, header, meta: opaqueTexts }),
          ),
        ).toEqual(given.map(defined));
      }
    }),
    { numRuns: 150 },
  );
});

test('what we write, mppx reads', async () => {
  await fc.assert(
    fc.asyncProperty(challenge, async ({ meta: _meta, ...given }) => {
      const [read] = await oracle.ask<Challenge[]>('parseChallenges', serialiseChallenge(given));
      expect(read).toEqual(defined(given));
    }),
    { numRuns: 100 },
  );
});

test('a credential repeats the challenge to the letter, and mppx reads it', async () => {
  await fc.assert(
    fc.asyncProperty(challenge, json, optional(text.filter((source) => source !== '')), async (given, payload, source) => {
      const [parsed] = parseChallenges([await oracle.ask<string>('serialiseChallenge', given)]).challenges;
      const value = serialiseCredential({ challenge: parsed as Challenge, payload, ...(source !== undefined && { source }) });
      const read = await oracle.ask<{ challenge: Record<string, unknown>; payload: unknown; source?: string }>('parseCredential', value);
      expect(read).toMatchObject(defined({ payload, source }));
      expect(read.challenge).toMatchObject(
        defined({ id: given.id, realm: given.realm, request: given.request, expires: given.expires, opaque: parsed?.opaque }),
      );
      expect(parseCredential(value)).toMatchObject({ challenge: { id: given.id, request: parsed?.request }, payload });
    }),
    { numRuns: 100 },
  );
});

test('receipts are understood both ways', async () => {
  await fc.assert(
    fc.asyncProperty(
      date,
      text.filter((reference) => reference !== ''),
      async (timestamp, reference) => {
        const receipt = { status: 'success' as const, method: 'solana', intent: 'session', timestamp, reference, challengeId: 'c1' };
        expect(parseReceipt(await oracle.ask<string>('serialiseReceipt', { ...receipt, spent: '7' }))).toEqual({
          ...receipt,
          members: { ...receipt, spent: '7' },
        });
        expect(await oracle.ask('parseReceipt', serialiseReceipt(receipt))).toEqual(receipt);
      },
    ),
    { numRuns: 50 },
  );
});

test('a category of the opaque data of stock servers is found', async () => {
  const value = await oracle.ask<string>('serialiseChallenge', {
    id: 'x',
    realm: 'r',
    method: 'solana',
    intent: 'charge',
    request: { amount: '1' },
    meta: { category: ' Data ', _mppx_scope: 'GET /x' },
  });
  expect(categoryOf(parseChallenges([value]).challenges[0] as Challenge)).toBe('data');
});
