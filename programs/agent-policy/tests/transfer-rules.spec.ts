/** `transfer`: each rule of the policy at its limit and one over, with the numbers that it tells. */
import { PublicKey } from '@solana/web3.js';
import { anAccount, someAddresses, someCategories, type TestAccount } from './support/account';
import { NO_LIMIT, START, aChain, type Outcome, type TestChain } from './support/chain';

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

/** The one event of a refusal. */
function refused({ refusal, events }: Outcome): { rule: string | undefined } & Record<string, unknown> {
  expect(events.map(({ name }) => name)).toEqual(['PolicyViolated']);
  return { rule: refusal, ...events[0]?.data };
}

/** A refusal's numbers where the rule has none of its own. */
function noNumbers(rule: keyof typeof CODES, attempted: bigint) {
  return { rule, code: CODES[rule], attempted, limit: NO_LIMIT, remaining: NO_LIMIT, reserved: 0n, available_at: 0n, policy_version: 2n };
}

describe('transfer, by the rules', () => {
  let chain: TestChain;
  let account: TestAccount;

  beforeEach(() => {
    chain = aChain();
    account = anAccount(chain);
  });

  describe('paused', () => {
    it('refuses everything, and tells', () => {
      account.change({ paused: true });
      expect(refused(account.pay({ amount: 5n, approved: true }))).toEqual(noNumbers('Paused', 5n));
    });

    it('allows again once it is lifted', () => {
      account.change({ paused: true });
      account.change({ paused: false });
      expect(account.refusal()).toBe('none');
    });
  });

  describe('max_single_transfer', () => {
    beforeEach(() => account.change({ maxSingleTransfer: 100n }));

    it('refuses one more than the limit, and tells', () => {
      expect(refused(account.pay({ amount: 101n }))).toEqual({ ...noNumbers('MaxSingleTransfer', 101n), limit: 100n });
    });

    it('is not lifted by the operator’s approval', () => {
      expect(account.refusal({ amount: 101n, approved: true })).toBe('MaxSingleTransfer');
    });

    it('allows the limit, any number of times', () => {
      expect([account.refusal({ amount: 100n }), account.refusal({ amount: 100n })]).toEqual(['none', 'none']);
    });

    it('of zero allows nothing', () => {
      account.change({ maxSingleTransfer: 0n });
      expect(account.refusal({ amount: 1n })).toBe('MaxSingleTransfer');
    });
  });

  describe('allowed_counterparties', () => {
    const [alice = '', bob = ''] = someAddresses(2);

    it('refuses who is not listed, and tells', () => {
      account.change({ allowedCounterparties: [alice] });
      expect(refused(account.pay({ amount: 5n }))).toEqual(noNumbers('AllowedCounterparties', 5n));
    });

    it('allows a listed owner of the token account', () => {
      account.change({ allowedCounterparties: [bob, alice] });
      const destination = chain.aTokenAccount({ owner: new PublicKey(alice) });
      expect(account.refusal({ destination })).toBe('none');
    });

    it('allows a listed token account', () => {
      account.change({ allowedCounterparties: [alice, account.payee.toBase58()] });
      expect(account.refusal()).toBe('none');
    });

    it('refuses another token account beside a listed one', () => {
      account.change({ allowedCounterparties: [account.payee.toBase58()] });
      expect(account.refusal({ destination: chain.aTokenAccount() })).toBe('AllowedCounterparties');
    });

    it('goes by the owner of now, not of then', () => {
      account.change({ allowedCounterparties: [alice] });
      const destination = chain.aTokenAccount({ owner: new PublicKey(alice) });
      chain.setTokens(destination, { owner: new PublicKey(bob) });
      expect(account.refusal({ destination })).toBe('AllowedCounterparties');
    });

    it('refuses everybody by an empty list', () => {
      account.change({ allowedCounterparties: [] });
      expect(account.refusal()).toBe('AllowedCounterparties');
    });

    it('allows everybody once the list is gone', () => {
      account.change({ allowedCounterparties: [] });
      account.change({ allowedCounterparties: null });
      expect(account.refusal()).toBe('none');
    });

    it('does not take a category for a counterparty', () => {
      const owner = new PublicKey(Buffer.concat([Buffer.from('compute')], 32));
      account.change({ allowedCounterparties: [alice], categories: ['compute'] });
      expect(account.refusal({ destination: chain.aTokenAccount({ owner }), category: 'compute' })).toBe('AllowedCounterparties');
    });
  });

  describe('categories', () => {
    beforeEach(() => account.change({ categories: ['compute', 'data'] }));

    it('refuses a transfer without one, and tells', () => {
      expect(refused(account.pay({ amount: 5n }))).toEqual(noNumbers('Categories', 5n));
    });

    it.each(['Compute', 'comput', 'compute1', 'other'])('refuses %s', (category) => {
      expect(account.refusal({ category })).toBe('Categories');
    });

    it.each(['compute', 'data'])('allows %s', (category) => {
      expect(account.refusal({ category })).toBe('none');
    });

    it('refuses all by an empty list', () => {
      account.change({ categories: [] });
      expect(account.refusal({ category: 'compute' })).toBe('Categories');
    });

    it('allows any, and none, once the list is gone', () => {
      account.change({ categories: null });
      expect([account.refusal({ category: 'other' }), account.refusal()]).toEqual(['none', 'none']);
    });

    it('does not take a counterparty for a category', () => {
      const category = 'a-category-of-thirty-two-bytes!!';
      account.change({ allowedCounterparties: [new PublicKey(Buffer.from(category)).toBase58(), account.payee.toBase58()] });
      expect(account.refusal({ category })).toBe('Categories');
    });
  });

  describe('require_memo', () => {
    beforeEach(() => account.change({ requireMemo: true }));

    it('refuses a transfer without a memo, and tells', () => {
      expect(refused(account.pay({ amount: 5n }))).toEqual(noNumbers('RequireMemo', 5n));
    });

    it('allows a transfer with one', () => {
      expect(account.refusal({ memoHash: MEMO })).toBe('none');
    });

    it('allows a transfer without one once it is lifted', () => {
      account.change({ requireMemo: false });
      expect(account.refusal()).toBe('none');
    });
  });

  describe('max_daily_spend', () => {
    beforeEach(() => account.change({ maxDailySpend: 100n }));

    it('refuses one more than what is left, and tells when it fits', () => {
      account.pay({ amount: 60n });
      expect(refused(account.pay({ amount: 41n }))).toEqual({
        ...noNumbers('MaxDailySpend', 41n),
        limit: 100n,
        remaining: 40n,
        available_at: BigInt(START + 97 * 900),
      });
    });

    it('allows exactly what is left', () => {
      account.pay({ amount: 60n });
      expect(account.refusal({ amount: 40n })).toBe('none');
    });

    it('counts what is reserved, and tells', () => {
      account.setReserved(70n);
      account.pay({ amount: 10n });
      expect(refused(account.pay({ amount: 21n }))).toMatchObject({
        remaining: 20n,
        reserved: 70n,
        available_at: BigInt(START + 97 * 900),
      });
      expect(account.refusal({ amount: 20n })).toBe('none');
    });

    it('tells no time where the amount never fits', () => {
      expect(refused(account.pay({ amount: 101n }))).toMatchObject({ remaining: 100n, available_at: 0n });
    });

    it('tells no time where what is reserved never leaves room', () => {
      account.setReserved(101n);
      expect(refused(account.pay({ amount: 1n }))).toMatchObject({ remaining: 0n, reserved: 101n, available_at: 0n });
    });

    it('is not lifted by the operator’s approval', () => {
      expect(account.refusal({ amount: 101n, approved: true })).toBe('MaxDailySpend');
    });

    it('counts no transfer that was refused', () => {
      account.pay({ amount: 101n });
      expect(account.refusal({ amount: 100n })).toBe('none');
    });

    it('binds each account for itself', () => {
      const other = anAccount(chain, { policy: { maxDailySpend: 100n } });
      account.pay({ amount: 100n });
      expect(other.refusal({ amount: 100n })).toBe('none');
    });
  });

  describe('insufficient_balance', () => {
    it('refuses one more than there is, and tells', () => {
      account.change({ maxSingleTransfer: 5_000n });
      expect(refused(account.pay({ amount: 1_001n }))).toEqual({ ...noNumbers('InsufficientBalance', 1_001n), remaining: 1_000n });
    });

    it('allows all that there is', () => {
      expect(account.refusal({ amount: 1_000n })).toBe('none');
    });
  });

  describe('escalation_threshold', () => {
    beforeEach(() => account.change({ escalationThreshold: 100n }));

    it('refuses the threshold itself without the operator, and tells', () => {
      expect(refused(account.pay({ amount: 100n }))).toEqual({ ...noNumbers('EscalationThreshold', 100n), limit: 100n });
    });

    it('allows one less without the operator', () => {
      expect(account.refusal({ amount: 99n })).toBe('none');
    });

    it('allows the threshold with the operator', () => {
      expect(account.refusal({ amount: 100n, approved: true })).toBe('none');
    });

    it.each([
      ['a stranger', () => chain.aKey()],
      ['the authority', () => account.authority],
      ['the fee payer', () => chain.feePayer],
      ["the other account's operator", () => anAccount(chain).operator],
    ])('refuses %s in the operator’s place', (_who, key) => {
      expect(account.refusal({ amount: 100n }, { operator: key().publicKey })).toBe('WrongOperator');
    });

    it('refuses a wrong operator even where none is needed', () => {
      expect(account.refusal({ amount: 1n }, { operator: chain.aKey().publicKey })).toBe('WrongOperator');
    });

    it('refuses the operator named but not signing', () => {
      const transfer = account.transfer({ amount: 100n, approved: true });
      for (const meta of transfer.keys) if (meta.pubkey.equals(account.operator.publicKey)) meta.isSigner = false;
      expect(chain.refusal(transfer)).toBe('AccountNotSigner');
    });

    it('of zero asks for the operator each time', () => {
      account.change({ escalationThreshold: 0n });
      expect([account.refusal({ amount: 1n }), account.refusal({ amount: 1n, approved: true })]).toEqual(['EscalationThreshold', 'none']);
    });
  });

  it('names the first broken rule in the documented order', () => {
    account.change({
      paused: true,
      maxSingleTransfer: 1n,
      allowedCounterparties: [],
      categories: [],
      requireMemo: true,
      maxDailySpend: 1n,
      escalationThreshold: 1n,
    });
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
      expect(account.refusal(order)).toBe(rule);
      remedy();
    }
    expect(account.refusal(order)).toBe('none');
  });

  it('reads the longest lists to their ends', () => {
    const { draft, change } = account.aDraft({ counterparties: 128, categories: 32 });
    account.stage(draft);
    chain.run(account.setPolicy(change, { draft }));
    const [first, last] = [someAddresses(128)[0], someAddresses(128)[127]].map((owner) =>
      chain.aTokenAccount({ owner: new PublicKey(owner ?? '') }),
    );
    const categories = someCategories(32);
    expect(account.refusal({ destination: first, category: categories[0] })).toBe('none');
    expect(account.refusal({ destination: last, category: categories[31] })).toBe('none');
    expect(account.refusal({ destination: last, category: 'category-32' })).toBe('Categories');
    expect(account.refusal({ category: categories[0] })).toBe('AllowedCounterparties');
  });

  it('tells the version of the policy that refused', () => {
    for (let version = 2; version <= 5; version++) account.change({ paused: true });
    expect(refused(account.pay())).toMatchObject({ policy_version: 5n });
  });
});
