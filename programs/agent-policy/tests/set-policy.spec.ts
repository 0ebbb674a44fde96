/** `set_policy`: changes only the named fields, and only from the version that was read. */
import { PublicKey } from '@solana/web3.js';
import type { PolicyChange } from '../../../libs/chain/src/policy/policy.types';
import { SPACE, anAccount, someAddresses, someCategories, type TestAccount } from './support/account';
import { START, aChain, type Key, type TestChain } from './support/chain';

const EVERYTHING = {
  maxSingleTransfer: 10n,
  maxDailySpend: 20n,
  maxMonthlySpend: 21n,
  maxLifetimeSpend: 22n,
  maxSessionCap: 25n,
  escalationThreshold: 30n,
  approvalAboveDailySum: 35n,
  validUntil: new Date(1_900_000_000_000),
  allowedCounterparties: someAddresses(3),
  categories: someCategories(2),
  requireMemo: true,
  paused: true,
};

describe('set_policy', () => {
  let chain: TestChain;
  let account: TestAccount;
  let other: TestAccount;

  beforeEach(() => {
    chain = aChain();
    account = anAccount(chain);
    other = anAccount(chain);
  });

  describe('set_policy rejects', () => {
    it('set_policy rejects an old version and changes nothing', () => {
      const late = account.setPolicy({ maxDailySpend: 1n });
      account.change({ maxDailySpend: 50n });
      expect(chain.errorOf(late)).toBe('PolicyVersionMismatch');
      expect(account.readPolicy()).toMatchObject({ version: 2n, maxDailySpend: 50n });
    });

    it('set_policy rejects a future version', () => {
      expect(chain.errorOf(account.setPolicy({ maxDailySpend: 1n }, { expectedVersion: 2n }))).toBe('PolicyVersionMismatch');
    });

    it('set_policy rejects a pause with a wrong version', () => {
      expect(chain.errorOf(account.setPolicy({ paused: true }, { expectedVersion: 9n }))).toBe('PolicyVersionMismatch');
    });

    it.each<[string, PolicyChange]>([
      ['an empty change', {}],
      ['unpausing', { paused: false }],
      ['pausing and a limit', { paused: true, maxSingleTransfer: 1n }],
      ['pausing and a memo', { paused: true, requireMemo: false }],
      ['pausing and a cleared limit', { paused: true, maxDailySpend: null }],
      ['pausing and a list', { paused: true, allowedCounterparties: [] }],
      ['pausing and a cleared list', { paused: true, categories: null }],
      ['a threshold', { escalationThreshold: 1n }],
    ])('set_policy rejects %s without a version', (_what, change) => {
      expect(chain.errorOf(account.setPolicy(change, { expectedVersion: null }))).toBe('PolicyVersionRequired');
    });

    it.each<[string, string, () => PublicKey, string]>([
      ['another account’s policy', 'policy', () => other.policy, 'WrongPolicy'],
      ['another account', 'account', () => other.address, 'WrongOperator'],
      ['the policy as the account', 'account', () => account.policy, 'AccountDiscriminatorMismatch'],
      ['the account as the policy', 'policy', () => account.address, 'AccountDiscriminatorMismatch'],
      [
        'a copy of the account that another program owns',
        'account',
        () => chain.copy(account.address, chain.aKey().publicKey),
        'ConstraintOwner',
      ],
      [
        'a copy of the policy that another program owns',
        'policy',
        () => chain.copy(account.policy, chain.aKey().publicKey),
        'AccountOwnedByWrongProgram',
      ],
      ['another rent recipient', 'rent_recipient', () => chain.aKey().publicKey, 'WrongRentRecipient'],
      ['another system program', 'system_program', () => chain.aKey().publicKey, 'InvalidProgramId'],
    ])('set_policy rejects %s', (_what, name, address, error) => {
      expect(chain.errorOf(account.setPolicy({ maxDailySpend: 1n }, { accounts: { [name]: address() } }))).toBe(error);
    });

    it('set_policy rejects the policy of another account of the same operator', () => {
      const twin = anAccount(chain, { operator: account.operator });
      expect(chain.errorOf(account.setPolicy({ maxDailySpend: 1n }, { accounts: { policy: twin.policy } }))).toBe('WrongPolicy');
    });

    it('set_policy rejects a staged list without a draft', () => {
      const { change } = account.aDraft();
      const instruction = account.setPolicy(change, { args: { allowed_counterparties: { Staged: {} } } });
      expect(chain.errorOf(instruction)).toBe('DraftMissing');
    });

    it('set_policy rejects a draft that no list refers to', () => {
      const { draft } = account.aDraft();
      account.stage(draft);
      expect(chain.errorOf(account.setPolicy({ maxDailySpend: 1n }, { draft }))).toBe('DraftMissing');
    });

    it('set_policy rejects a payer that cannot pay for the growth', () => {
      const payer = chain.aKey(900_000n);
      expect(chain.errorOf(account.setPolicy({ allowedCounterparties: someAddresses(5) }, { accounts: { payer: payer.publicKey } }))).toBe(
        'Custom(1)',
      );
    });
  });

  describe('set_policy merges', () => {
    beforeEach(() => account.change(EVERYTHING));

    it.each<[string, PolicyChange]>([
      ['max_single_transfer', { maxSingleTransfer: 11n }],
      ['max_single_transfer cleared', { maxSingleTransfer: null }],
      ['max_daily_spend', { maxDailySpend: 0n }],
      ['max_daily_spend cleared', { maxDailySpend: null }],
      ['max_monthly_spend', { maxMonthlySpend: 0n }],
      ['max_monthly_spend cleared', { maxMonthlySpend: null }],
      ['max_lifetime_spend', { maxLifetimeSpend: 0n }],
      ['max_lifetime_spend cleared', { maxLifetimeSpend: null }],
      ['valid_until', { validUntil: new Date(1_900_000_001_000) }],
      ['valid_until cleared', { validUntil: null }],
      ['approval_above_daily_sum', { approvalAboveDailySum: 0n }],
      ['approval_above_daily_sum cleared', { approvalAboveDailySum: null }],
      ['max_session_cap', { maxSessionCap: 0n }],
      ['max_session_cap cleared', { maxSessionCap: null }],
      ['escalation_threshold', { escalationThreshold: 31n }],
      ['escalation_threshold cleared', { escalationThreshold: null }],
      ['allowed_counterparties', { allowedCounterparties: someAddresses(5) }],
      ['allowed_counterparties emptied', { allowedCounterparties: [] }],
      ['allowed_counterparties cleared', { allowedCounterparties: null }],
      ['categories', { categories: someCategories(4) }],
      ['categories emptied', { categories: [] }],
      ['categories cleared', { categories: null }],
      ['require_memo', { requireMemo: false }],
      ['paused', { paused: false }],
      ['an empty change', {}],
      ['two limits at once', { maxSingleTransfer: 1n, maxDailySpend: 2n }],
    ])('set_policy changes %s and no other field', (_what, change) => {
      chain.setTime(START + 60);
      account.change(change);
      expect(account.readPolicy()).toEqual({ ...EVERYTHING, ...change, version: 3n, updatedAt: new Date((START + 60) * 1000) });
    });

    it('set_policy commits one staged list and keeps the other', () => {
      const { draft, change } = account.aDraft({ counterparties: 30, categories: 0 });
      account.stage(draft);
      const { allowedCounterparties } = change;
      chain.run(account.setPolicy({ allowedCounterparties }, { draft }));
      expect(account.readPolicy()).toEqual({ ...EVERYTHING, allowedCounterparties, version: 3n, updatedAt: expect.any(Date) });
    });

    it('set_policy takes one list staged and the other inline', () => {
      const { draft, change } = account.aDraft({ counterparties: 30, categories: 0 });
      account.stage(draft);
      const entries = someCategories(3).map((name) => [...Buffer.concat([Buffer.from(name)], 32)]);
      chain.run(
        account.setPolicy({ allowedCounterparties: change.allowedCounterparties }, { draft, args: { categories: { Set: { entries } } } }),
      );
      expect(account.readPolicy()).toMatchObject({ allowedCounterparties: change.allowedCounterparties, categories: someCategories(3) });
    });
  });

  describe('set_policy that only pauses', () => {
    it('set_policy that only pauses needs no version and increments it', () => {
      account.change({ maxDailySpend: 5n });
      const { events } = chain.run(account.setPolicy({ paused: true }, { expectedVersion: null }));
      expect(events).toEqual([{ name: 'PolicyChanged', data: { owner: account.address.toBase58(), version: 3n, paused: true } }]);
      expect(account.readPolicy()).toMatchObject({ version: 3n, paused: true, maxDailySpend: 5n });
    });

    it('set_policy that only pauses can be repeated', () => {
      for (let version = 2n; version < 6n; version++) {
        chain.run(account.setPolicy({ paused: true }));
        expect(account.readPolicy()).toMatchObject({ version, paused: true });
      }
    });

    it('set_policy that only pauses works with the longest lists', () => {
      const { draft, change } = account.aDraft({ counterparties: 128, categories: 32 });
      account.stage(draft);
      chain.run(account.setPolicy(change, { draft }));
      chain.run(account.setPolicy({ paused: true }));
      expect(account.readPolicy()).toMatchObject({ ...change, paused: true });
    });

    it('set_policy that only pauses needs no rent recipient', () => {
      chain.run(account.setPolicy({ paused: true }, { accounts: { rent_recipient: undefined } }));
      expect(account.readPolicy().paused).toBe(true);
    });

    it('set_policy that only pauses outdates a change prepared before', () => {
      const late = account.setPolicy({ paused: false, maxDailySpend: 1_000n });
      chain.run(account.setPolicy({ paused: true }));
      expect(chain.errorOf(late)).toBe('PolicyVersionMismatch');
    });
  });

  it('set_policy emits an event for each change', () => {
    const { events } = account.change({ requireMemo: true });
    expect(events).toEqual([{ name: 'PolicyChanged', data: { owner: account.address.toBase58(), version: 2n, paused: false } }]);
  });

  it('two calls of set_policy in one transaction take effect in order', () => {
    chain.run(
      account.setPolicy({ maxDailySpend: 1n }, { expectedVersion: 1n }),
      account.setPolicy({ maxSingleTransfer: 2n }, { expectedVersion: 2n }),
    );
    expect(account.readPolicy()).toMatchObject({ version: 3n, maxDailySpend: 1n, maxSingleTransfer: 2n });
  });

  describe('set_policy and rent', () => {
    const held = () => chain.lamports(account.policy);

    it('set_policy without a rent recipient changes a limit and shortens no list', () => {
      account.change({ categories: ['a', 'b'] });
      const withoutRecipient = { accounts: { rent_recipient: undefined } };
      chain.run(account.setPolicy({ maxDailySpend: 5n }, withoutRecipient));
      expect(chain.errorOf(account.setPolicy({ categories: ['a'] }, withoutRecipient))).toBe('WrongRentRecipient');
      expect(account.readPolicy()).toMatchObject({ maxDailySpend: 5n, categories: ['a', 'b'] });
    });

    it('set_policy charges the payer exactly the rent by which the policy grows', () => {
      const payer = chain.aKey();
      const before = chain.lamports(payer.publicKey);
      chain.run(account.setPolicy({ allowedCounterparties: someAddresses(10) }, { accounts: { payer: payer.publicKey } }));
      expect(before - chain.lamports(payer.publicKey)).toBe(chain.rent(SPACE.policy + 10 * SPACE.entry) - chain.rent(SPACE.policy));
      expect(held()).toBe(chain.rent(SPACE.policy + 10 * SPACE.entry));
    });

    it('set_policy refunds the creator when the policy shrinks, also if another key paid', () => {
      const [creator, payer] = [chain.aKey(), chain.aKey()];
      account = anAccount(chain, { creator });
      chain.run(account.setPolicy({ allowedCounterparties: someAddresses(10) }, { accounts: { payer: payer.publicKey } }));
      const before = chain.lamports(creator.publicKey);
      chain.run(account.setPolicy({ allowedCounterparties: someAddresses(4) }, { accounts: { payer: payer.publicKey } }));
      expect(chain.lamports(creator.publicKey) - before).toBe(
        chain.rent(SPACE.policy + 10 * SPACE.entry) - chain.rent(SPACE.policy + 4 * SPACE.entry),
      );
      expect(held()).toBe(chain.rent(SPACE.policy + 4 * SPACE.entry));
    });

    it('set_policy moves no rent when the size stays the same', () => {
      account.change({ allowedCounterparties: someAddresses(2) });
      const before = held();
      account.change({ allowedCounterparties: someAddresses(4).slice(2) });
      expect([held(), chain.account(account.policy).data.length]).toEqual([before, SPACE.policy + 2 * SPACE.entry]);
    });

    describe('set_policy when the creator has no lamports', () => {
      let creator: Key;
      const emptyCreator = () => chain.put(creator.publicKey, { owner: PublicKey.default, data: Buffer.alloc(0), lamports: 0n });

      beforeEach(() => {
        creator = chain.aKey();
        account = anAccount(chain, { creator, policy: { allowedCounterparties: someAddresses(10) } });
        emptyCreator();
      });

      it('set_policy keeps a refund that is too small for a new wallet, and the policy still shrinks', () => {
        const before = held();
        account.change({ allowedCounterparties: someAddresses(9) });
        expect([held(), chain.exists(creator.publicKey)]).toEqual([before, false]);
        expect(account.readPolicy().allowedCounterparties).toHaveLength(9);
      });

      it('set_policy pays a kept refund together with the next one', () => {
        account.change({ allowedCounterparties: someAddresses(9) });
        account.change({ allowedCounterparties: null });
        expect([held(), chain.lamports(creator.publicKey)]).toEqual([
          chain.rent(SPACE.policy),
          chain.rent(SPACE.policy + 10 * SPACE.entry) - chain.rent(SPACE.policy),
        ]);
      });

      it('set_policy uses a kept refund when the policy grows again', () => {
        account.change({ allowedCounterparties: someAddresses(9) });
        const before = [held(), chain.lamports(chain.aKey().publicKey)];
        const payer = chain.aKey();
        chain.run(account.setPolicy({ allowedCounterparties: someAddresses(10) }, { accounts: { payer: payer.publicKey } }));
        expect([held(), chain.lamports(payer.publicKey)]).toEqual(before);
      });
    });

    it('set_policy uses lamports that were sent to the policy before it charges the payer', () => {
      const gift = chain.rent(SPACE.policy + 3 * SPACE.entry);
      chain.put(account.policy, { ...chain.account(account.policy), lamports: gift });
      const payer = chain.aKey();
      const before = chain.lamports(payer.publicKey);
      chain.run(account.setPolicy({ categories: someCategories(3) }, { accounts: { payer: payer.publicKey } }));
      expect([before - chain.lamports(payer.publicKey), held()]).toEqual([0n, gift]);
    });
  });
});
