import fc from 'fast-check';
import { aPaymentRequired, aPaymentRequiredV1, anAddress, anOffer, anOfferV1, codeOf, feePayer, payTo, target } from '../../test/samples';
import { X402Error, networkNames, parsePaymentRequired, payableRequirements, type JsonObject, type PaymentTarget } from '..';

const payable = (accepts: JsonObject[], to: PaymentTarget = target) =>
  payableRequirements(parsePaymentRequired(aPaymentRequired({ accepts })), to);
const payableV1 = (accepts: JsonObject[], to: PaymentTarget = target) =>
  payableRequirements(parsePaymentRequired(aPaymentRequiredV1({ accepts })), to);
const elsewhere = anOffer({ network: 'eip155:8453', asset: '0x833589', payTo: '0x209693', amount: '1e3', extra: { name: 'USDC' } });

test('an offer of version 2 is read with its amount as bigint', () => {
  const recentBlockhash = anAddress();
  const offer = anOffer({
    amount: '18446744073709551615',
    extra: { feePayer, memo: 'invoice 7', recentBlockhash, lastValidBlockHeight: '9' },
  });
  expect(payable([offer])).toEqual([
    {
      network: target.caip2,
      amount: 2n ** 64n - 1n,
      asset: target.mint,
      payTo,
      maxTimeoutSeconds: 60,
      feePayer,
      memo: 'invoice 7',
      recentBlockhash,
      flow: 'authorization',
      takesWalletPrograms: false,
      object: offer,
    },
  ]);
});

test('an offer of version 1 is read by the network name of version 1', () => {
  expect(payableV1([anOfferV1({ network: target.caip2 }), anOfferV1()])).toMatchObject([
    { network: 'solana-devnet', amount: 1_000n, payTo, feePayer, memo: undefined, flow: 'authorization' },
  ]);
});

test('a fee payer may equal payTo', () => {
  expect(payable([anOffer({ extra: { feePayer: payTo } })])[0]).toMatchObject({ feePayer: payTo, payTo });
});

test('an empty or absent memo, and a malformed blockhash, count as none', () => {
  for (const extra of [
    { feePayer, memo: '' },
    { feePayer, memo: null, recentBlockhash: 'x' },
  ])
    expect(payable([anOffer({ extra })])[0]).toMatchObject({ memo: undefined, recentBlockhash: undefined });
});

test.each([
  [2, true, true],
  [2, 'true', false],
  [1, true, false],
] as const)('an offer of version %s with smartWalletSupported %p takes wallet programs: %p', (version, smartWalletSupported, expected) => {
  const extra = { feePayer, features: { smartWalletSupported } };
  const [offer] = version === 2 ? payable([anOffer({ extra })]) : payableV1([anOfferV1({ extra })]);
  expect(offer.takesWalletPrograms).toBe(expected);
});

test('other schemes, networks, tokens and flows, and malformed offers, are skipped', () => {
  const skipped = [
    elsewhere,
    anOffer({ scheme: 'upto' }),
    anOffer({ network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' }),
    anOffer({ asset: anAddress() }),
    anOffer({ extra: { feePayer, paymentFlow: 'escrow' } }),
    anOffer({ extra: { feePayer, assetTransferMethod: 'permit2' } }),
    anOffer({ amount: '0.5' }),
  ];
  expect(payable([...skipped, anOffer({ amount: '7' })])).toMatchObject([{ amount: 7n }]);
});

test('offers are ordered by price, then by flow, then as the seller lists them', () => {
  const offer = (amount: string, maxTimeoutSeconds: number, paymentFlow?: string) =>
    anOffer({ amount, maxTimeoutSeconds, extra: { feePayer, paymentFlow } });
  const order = payable([
    offer('20', 1),
    offer('10', 2, 'upfront'),
    offer('10', 3),
    offer('9', 4, 'upfront'),
    offer('10', 5, 'authorization'),
  ]);
  expect(order.map(({ maxTimeoutSeconds }) => maxTimeoutSeconds)).toEqual([4, 3, 5, 2, 1]);
});

test.each<[string, string, JsonObject[]]>([
  ['unsupported_method', 'every scheme is another', [anOffer({ scheme: 'upto' }), anOffer({ scheme: 'batch-settlement' })]],
  ['unsupported_method', 'every flow is another', [anOffer({ extra: { feePayer, paymentFlow: 'escrow' } })]],
  ['network_mismatch', 'every network is another', [elsewhere, anOffer({ network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' })]],
  ['network_mismatch', 'version 2 uses a name of version 1', [anOffer({ network: 'solana-devnet' })]],
  ['mint_mismatch', 'every token here is another', [elsewhere, anOffer({ asset: anAddress() })]],
])('%s is thrown where %s', (code, _where, accepts) => {
  expect(codeOf(() => payable(accepts))).toBe(code);
});

test('offers of version 1 are a network_mismatch for a payer whose network has no name there', () => {
  expect(codeOf(() => payableV1([anOfferV1()], { caip2: target.caip2, mint: target.mint }))).toBe('network_mismatch');
});

test.each<[string, JsonObject]>([
  ['amount', { amount: 1000 }],
  ['amount', { amount: '' }],
  ['amount', { amount: '-1' }],
  ['amount', { amount: '1.5' }],
  ['amount', { amount: '01' }],
  ['amount', { amount: '1e3' }],
  ['amount', { amount: ' 1' }],
  ['amount', { amount: '18446744073709551616' }],
  ['amount', { amount: '9'.repeat(1_000) }],
  ['amount', { amount: undefined }],
  ['payTo', { payTo: undefined }],
  ['payTo', { payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C' }],
  ['payTo', { payTo: '1'.repeat(31) }],
  ['payTo', { payTo: '1'.repeat(33) }],
  ['payTo', { payTo: '1'.repeat(60_000) }],
  ['payTo', { payTo: [payTo] }],
  ['maxTimeoutSeconds', { maxTimeoutSeconds: '60' }],
  ['maxTimeoutSeconds', { maxTimeoutSeconds: 0 }],
  ['maxTimeoutSeconds', { maxTimeoutSeconds: 1.5 }],
  ['maxTimeoutSeconds', { maxTimeoutSeconds: 31_536_001 }],
  ['extra', { extra: undefined }],
  ['extra', { extra: null }],
  ['extra', { extra: [] }],
  ['feePayer', { extra: {} }],
  ['feePayer', { extra: { feePayer: 'facilitator' } }],
  ['memo', { extra: { feePayer, memo: 7 } }],
  ['memo', { extra: { feePayer, memo: 'x'.repeat(257) } }],
  ['memo', { extra: { feePayer, memo: 'ü'.repeat(129) } }],
  ['memo', { extra: { feePayer, memo: '\ud800' } }],
])('requirements_invalid names %s where it is malformed: %j', (field, change) => {
  expect(codeOf(() => payable([anOffer(change)]))).toBe('requirements_invalid');
  expect(() => payable([anOffer(change), elsewhere])).toThrow(field);
});

test('a memo of 256 bytes and a time-out of a year are read', () => {
  const offer = anOffer({ maxTimeoutSeconds: 31_536_000, extra: { feePayer, memo: 'ü'.repeat(128) } });
  expect(payable([offer])[0]).toMatchObject({ maxTimeoutSeconds: 31_536_000, memo: 'ü'.repeat(128) });
});

test('offers of any content are payable or an X402Error', () => {
  const member = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(feePayer, '1000', 60));
  const offer = fc.record({
    amount: member,
    payTo: member,
    maxTimeoutSeconds: member,
    extra: fc.oneof(member, fc.record({ feePayer: member, memo: member })),
  });
  fc.assert(
    fc.property(fc.array(offer, { minLength: 1, maxLength: 3 }), (offers) => {
      try {
        for (const { amount, maxTimeoutSeconds } of payable(offers.map(anOffer)))
          expect([amount >= 0n, amount < 2n ** 64n, maxTimeoutSeconds > 0]).toEqual([true, true, true]);
      } catch (error) {
        expect(error).toBeInstanceOf(X402Error);
      }
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', { caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', v1Name: 'solana' }],
  ['EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', { caip2: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', v1Name: 'solana-devnet' }],
  ['4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY', { caip2: 'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z', v1Name: 'solana-testnet' }],
  [feePayer, { caip2: `solana:${feePayer.slice(0, 32)}` }],
])('the cluster with genesis hash %s has its names', (genesisHash, names) => {
  expect(networkNames(genesisHash)).toEqual(names);
});
