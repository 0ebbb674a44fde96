/** `transfer`: each policy rule at its limit and one over, with the numbers that it logs. */
import { PublicKey } from '@solana/web3.js';
import { anAccount, someAddresses, someCategories, type TestAccount } from './support/account';
import { NO_LIMIT, START, aChain, type TestChain } from './support/chain';
import type { Outcome } from './support/outcome';

const CODES = {
  Paused: 6000,
  MaxSingleTransfer: 6001,
  AllowedCounterparties: 6002,
  Categories: 6003,
  RequireMemo: 6004,
  MaxDailySpend: 6005,
  InsufficientBalance: 6006,
  EscalationThreshold: 6007,
};
const MEMO = Buffer.alloc(32, 9);
/** The end of the first bucket's day. */
const FITS_AT = BigInt(START + 97 * 900);

/** The one event of a violation. */
function refused({ error, events }: Outcome): { rule: string | undefined } & Record<string, unknown> {
  expect(events.map(({ name }) => name)).toEqual(['PolicyViolated']);
  return { rule: error, ...events[0]?.data };
}

const NO_NUMBERS = { limit: NO_LIMIT, remaining: NO_LIMIT, reserved: 0n, available_at: 0n, policy_version: 2n, scope: 0 };

/** The numbers of a violation if its rule has none of its own. */
const noNumbers = (rule: keyof typeof CODES, attempted: bigint) => ({ ...NO_NUMBERS, rule, code: CODES[rule], attempted });

describe('transfer and the policy rules', () => {
  let chain: TestChain;
  let account: TestAccount;

  beforeEach(() => {
    chain = aChain();
    account = anAccount(chain);
  });

  describe('paused', () => {
    it('paused rejects every transfer and logs the violation', () => {
      account.change({ paused: true });
      expect(refused(account.pay({ amount: 5n, approved: true }))).toEqual(noNumbers('Paused', 5n));
    });

    it('transfers are allowed again once the pause is lifted', () => {
      account.change({ paused: true });
      account.change({ paused: false });
      expect(account.errorOf()).toBe('none');
    });
  });

  describe('max_single_transfer', () => {
    beforeEach(() => account.change({ maxSingleTransfer: 100n }));

    it('max_single_transfer rejects an amount one above the limit and logs the numbers', () => {
      expect(refused(account.pay({ amount: 101n }))).toEqual({ ...noNumbers('MaxSingleTransfer', 101n), limit: 100n });
    });

    it('max_single_transfer applies to an approved transfer too', () => {
      expect(account.errorOf({ amount: 101n, approved: true })).toBe('MaxSingleTransfer');
    });

    it('max_single_transfer allows the limit, any number of times', () => {
      expect([account.errorOf({ amount: 100n }), account.errorOf({ amount: 100n })]).toEqual(['none', 'none']);
    });

    it('max_single_transfer of zero rejects every amount', () => {
      account.change({ maxSingleTransfer: 0n });
      expect(account.errorOf({ amount: 1n })).toBe('MaxSingleTransfer');
    });
  });

  describe('allowed_counterparties', () => {
    const [alice = '', bob = ''] = someAddresses(2);
    const of = (owner: string): PublicKey => chain.aTokenAccount({ owner: new PublicKey(owner) });

    it('allowed_counterparties rejects a destination that is not listed and logs the violation', () => {
      account.change({ allowedCounterparties: [alice] });
      expect(refused(account.pay({ amount: 5n }))).toEqual(noNumbers('AllowedCounterparties', 5n));
    });

    it.each<[string, () => (string[] | null)[], string, (() => PublicKey)?]>([
      ['allows a token account whose owner is listed', () => [[bob, alice]], 'none', () => of(alice)],
      ['allows a listed token account', () => [[alice, account.payee.toBase58()]], 'none'],
      [
        'rejects another token account of the owner of a listed one',
        () => [[account.payee.toBase58()]],
        'AllowedCounterparties',
        () => chain.aTokenAccount(),
      ],
      ['rejects every destination when the list is empty', () => [[]], 'AllowedCounterparties'],
      ['allows every destination once it is cleared', () => [[], null], 'none'],
    ])('allowed_counterparties %s', (_what, lists, error, destination) => {
      for (const allowedCounterparties of lists()) account.change({ allowedCounterparties });
      expect(account.errorOf({ destination: destination?.() })).toBe(error);
    });

    it('allowed_counterparties compares the current owner of the token account', () => {
      account.change({ allowedCounterparties: [alice] });
      const destination = of(alice);
      chain.setTokens(destination, { owner: new PublicKey(bob) });
      expect(account.errorOf({ destination })).toBe('AllowedCounterparties');
    });

    it('allowed_counterparties does not match a category of the same bytes', () => {
      const owner = new PublicKey(Buffer.concat([Buffer.from('compute')], 32));
      account.change({ allowedCounterparties: [alice], categories: ['compute'] });
      expect(account.errorOf({ destination: chain.aTokenAccount({ owner }), category: 'compute' })).toBe('AllowedCounterparties');
    });
  });

  describe('categories', () => {
    beforeEach(() => account.change({ categories: ['compute', 'data'] }));

    it('categories rejects a transfer without a category and logs the violation', () => {
      expect(refused(account.pay({ amount: 5n }))).toEqual(noNumbers('Categories', 5n));
    });

    it.each([
      ...['Compute', 'comput', 'compute1', 'other'].map((category) => [category, 'Categories']),
      ...['compute', 'data'].map((category) => [category, 'none']),
    ])('categories, with the category %s: %s', (category, error) => {
      expect(account.errorOf({ category })).toBe(error);
    });

    it('categories rejects every category when the list is empty', () => {
      account.change({ categories: [] });
      expect(account.errorOf({ category: 'compute' })).toBe('Categories');
    });

    it('categories allows any category, and none, once it is cleared', () => {
      account.change({ categories: null });
      expect([account.errorOf({ category: 'other' }), account.errorOf()]).toEqual(['none', 'none']);
    });

    it('categories does not match a counterparty of the same bytes', () => {
      const category = 'a-category-of-thirty-two-bytes!!';
      account.change({ allowedCounterparties: [new PublicKey(Buffer.from(category)).toBase58(), account.payee.toBase58()] });
      expect(account.errorOf({ category })).toBe('Categories');
    });
  });

  describe('require_memo', () => {
    beforeEach(() => account.change({ requireMemo: true }));

    it('require_memo rejects a transfer without a memo and logs the violation', () => {
      expect(refused(account.pay({ amount: 5n }))).toEqual(noNumbers('RequireMemo', 5n));
    });

    it('require_memo allows a transfer with a memo', () => {
      expect(account.errorOf({ memoHash: MEMO })).toBe('none');
    });

    it('transfers without a memo are allowed once require_memo is lifted', () => {
      account.change({ requireMemo: false });
      expect(account.errorOf()).toBe('none');
    });
  });

  describe('max_daily_spend', () => {
    beforeEach(() => account.change({ maxDailySpend: 100n }));

    it('max_daily_spend rejects an amount one above the rest and logs when it fits', () => {
      account.pay({ amount: 60n });
      const numbers = { limit: 100n, remaining: 40n, available_at: FITS_AT };
      expect(refused(account.pay({ amount: 41n }))).toEqual({ ...noNumbers('MaxDailySpend', 41n), ...numbers });
    });

    it('max_daily_spend allows exactly the rest', () => {
      account.pay({ amount: 60n });
      expect(account.errorOf({ amount: 40n })).toBe('none');
    });

    it('max_daily_spend counts what is reserved and logs it', () => {
      account.setReserved(70n);
      account.pay({ amount: 10n });
      expect(refused(account.pay({ amount: 21n }))).toMatchObject({ remaining: 20n, reserved: 70n, available_at: FITS_AT });
      expect(account.errorOf({ amount: 20n })).toBe('none');
    });

    it('max_daily_spend logs no time for an amount that never fits', () => {
      expect(refused(account.pay({ amount: 101n }))).toMatchObject({ remaining: 100n, available_at: 0n });
    });

    it('max_daily_spend logs no time when what is reserved never leaves room', () => {
      account.setReserved(101n);
      expect(refused(account.pay({ amount: 1n }))).toMatchObject({ remaining: 0n, reserved: 101n, available_at: 0n });
    });

    it('max_daily_spend applies to an approved transfer too', () => {
      expect(account.errorOf({ amount: 101n, approved: true })).toBe('MaxDailySpend');
    });

    it('max_daily_spend does not count rejected transfers', () => {
      account.pay({ amount: 101n });
      expect(account.errorOf({ amount: 100n })).toBe('none');
    });

    it('max_daily_spend applies to each account separately', () => {
      const other = anAccount(chain, { policy: { maxDailySpend: 100n } });
      account.pay({ amount: 100n });
      expect(other.errorOf({ amount: 100n })).toBe('none');
    });
  });

  describe('insufficient_balance', () => {
    it('insufficient_balance rejects an amount one above the balance and logs the numbers', () => {
      account.change({ maxSingleTransfer: 5_000n });
      expect(refused(account.pay({ amount: 1_001n }))).toEqual({ ...noNumbers('InsufficientBalance', 1_001n), remaining: 1_000n });
    });

    it('a transfer of the whole balance is allowed', () => {
      expect(account.errorOf({ amount: 1_000n })).toBe('none');
    });
  });

  describe('escalation_threshold', () => {
    beforeEach(() => account.change({ escalationThreshold: 100n }));

    it('escalation_threshold rejects an amount at the threshold without the operator and logs the violation', () => {
      expect(refused(account.pay({ amount: 100n }))).toEqual({ ...noNumbers('EscalationThreshold', 100n), limit: 100n });
    });

    it.each([
      ['an amount one below without the operator', { amount: 99n }],
      ['an amount at the threshold with the operator’s signature', { amount: 100n, approved: true }],
    ])('escalation_threshold allows %s', (_what, order) => {
      expect(account.errorOf(order)).toBe('none');
    });

    it.each([
      ['a stranger', () => chain.aKey()],
      ['the authority', () => account.authority],
      ['the fee payer', () => chain.feePayer],
      ['another account’s operator', () => anAccount(chain).operator],
    ])('escalation_threshold rejects the signature of %s in place of the operator’s', (_who, key) => {
      expect(account.errorOf({ amount: 100n }, { operator: key().publicKey })).toBe('WrongOperator');
    });

    it('transfer rejects a wrong operator even if no approval is needed', () => {
      expect(account.errorOf({ amount: 1n }, { operator: chain.aKey().publicKey })).toBe('WrongOperator');
    });

    it('escalation_threshold rejects the operator when it is named and does not sign', () => {
      const transfer = account.transfer({ amount: 100n, approved: true });
      for (const meta of transfer.keys) if (meta.pubkey.equals(account.operator.publicKey)) meta.isSigner = false;
      expect(chain.errorOf(transfer)).toBe('AccountNotSigner');
    });

    it('escalation_threshold of zero requires the operator for every transfer', () => {
      account.change({ escalationThreshold: 0n });
      expect([account.errorOf({ amount: 1n }), account.errorOf({ amount: 1n, approved: true })]).toEqual(['EscalationThreshold', 'none']);
    });
  });

  it('transfer reports the first violated rule in the documented order', () => {
    const amounts = { maxSingleTransfer: 1n, maxDailySpend: 1n, escalationThreshold: 1n };
    account.change({ ...amounts, paused: true, allowedCounterparties: [], categories: [], requireMemo: true });
    const order = { amount: 1_001n, memoHash: null as Buffer | null, approved: false };
    const remedies: Record<string, () => void> = {
      Paused: () => account.change({ paused: false }),
      MaxSingleTransfer: () => account.change({ maxSingleTransfer: null }),
      AllowedCounterparties: () => account.change({ allowedCounterparties: null }),
      Categories: () => account.change({ categories: null }),
      RequireMemo: () => (order.memoHash = MEMO),
      MaxDailySpend: () => account.change({ maxDailySpend: null }),
      InsufficientBalance: () => (order.amount = 1_000n),
      EscalationThreshold: () => (order.approved = true),
    };
    for (const [rule, remedy] of Object.entries(remedies)) {
      expect(account.errorOf(order)).toBe(rule);
      remedy();
    }
    expect(account.errorOf(order)).toBe('none');
  });

  it('transfer compares every entry of the longest lists', () => {
    const { draft, change } = account.aDraft({ counterparties: 128, categories: 32 });
    account.stage(draft);
    chain.run(account.setPolicy(change, { draft }));
    const [first, last] = [someAddresses(128)[0], someAddresses(128)[127]].map((owner) =>
      chain.aTokenAccount({ owner: new PublicKey(owner ?? '') }),
    );
    const categories = someCategories(32);
    expect(account.errorOf({ destination: first, category: categories[0] })).toBe('none');
    expect(account.errorOf({ destination: last, category: categories[31] })).toBe('none');
    expect(account.errorOf({ destination: last, category: 'category-32' })).toBe('Categories');
    expect(account.errorOf({ category: categories[0] })).toBe('AllowedCounterparties');
  });

  it('a violation logs the version of the policy', () => {
    for (let version = 2; version <= 5; version++) account.change({ paused: true });
    expect(refused(account.pay())).toMatchObject({ policy_version: 5n });
  });
});
