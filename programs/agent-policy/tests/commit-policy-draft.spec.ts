/** `set_policy` with a draft: long lists take effect in one step or not at all. */
import { SPACE, anAccount, type TestAccount } from './support/account';
import { aChain, type TestChain } from './support/chain';

describe('set_policy with a draft', () => {
  let chain: TestChain;
  let account: TestAccount;

  beforeEach(() => {
    chain = aChain();
    account = anAccount(chain);
  });

  describe('set_policy rejects a draft', () => {
    it('set_policy rejects a draft whose content does not match its hash', () => {
      const { draft, change } = account.aDraft();
      account.stage(draft);
      chain.run(account.writeDraft(draft, { offset: 31, content: Buffer.of(0) }));
      expect(chain.errorOf(account.setPolicy(change, { draft }))).toBe('DraftHashMismatch');
    });

    it('set_policy rejects a draft whose content is incomplete', () => {
      const { draft, change } = account.aDraft({ counterparties: 40 });
      account.stage(draft, 768);
      expect(chain.errorOf(account.setPolicy(change, { draft }))).toBe('DraftHashMismatch');
    });

    it('set_policy rejects a draft that was never written', () => {
      const { draft, change } = account.aDraft();
      chain.run(account.createDraft(draft));
      expect(chain.errorOf(account.setPolicy(change, { draft }))).toBe('DraftHashMismatch');
    });

    it('set_policy rejects a draft that divides the entries otherwise than its hash', () => {
      const { draft, change } = account.aDraft({ counterparties: 2, categories: 1 });
      const divided = { ...draft, counterparties: 1, categories: 2 };
      account.stage(divided);
      expect(chain.errorOf(account.setPolicy(change, { draft: divided }))).toBe('DraftHashMismatch');
    });

    it('set_policy rejects a draft with a hash that no content has', () => {
      const { draft, change } = account.aDraft({ hash: Buffer.alloc(32, 5) });
      account.stage(draft);
      expect(chain.errorOf(account.setPolicy(change, { draft }))).toBe('DraftHashMismatch');
    });

    it.each([1n, 3n, 0n, 2n ** 64n - 1n])('set_policy rejects a draft for version %s in place of one for version 2', (targetVersion) => {
      const { draft, change } = account.aDraft({ targetVersion });
      account.stage(draft);
      expect(chain.errorOf(account.setPolicy(change, { draft }))).toBe('WrongDraft');
    });

    it('set_policy rejects a draft after another change', () => {
      const { draft, change } = account.aDraft();
      account.stage(draft);
      account.change({ maxDailySpend: 5n });
      expect(chain.errorOf(account.setPolicy(change, { draft }))).toBe('WrongDraft');
      expect(chain.errorOf(account.setPolicy(change, { draft, expectedVersion: 1n }))).toBe('PolicyVersionMismatch');
    });

    it('set_policy rejects another account’s draft, even of the same operator', () => {
      const other = anAccount(chain, { operator: account.operator });
      const { draft, change } = other.aDraft();
      other.stage(draft);
      expect(chain.errorOf(account.setPolicy(change, { draft }))).toBe('WrongDraft');
    });

    it('set_policy rejects a copy of a draft that another program owns', () => {
      const { draft, change } = account.aDraft();
      account.stage(draft);
      const copy = chain.copy(draft.address, chain.aKey().publicKey);
      expect(chain.errorOf(account.setPolicy(change, { draft, accounts: { draft: copy } }))).toBe('AccountOwnedByWrongProgram');
    });

    it('set_policy rejects any rent recipient of the draft but its rent payer', () => {
      const { draft, change } = account.aDraft();
      account.stage(draft);
      for (const thief of [chain.aKey().publicKey, account.operator.publicKey, undefined]) {
        expect(chain.errorOf(account.setPolicy(change, { draft, accounts: { draft_rent_recipient: thief } }))).toBe('WrongRentRecipient');
      }
    });

    it('set_policy rejects a draft that was committed before', () => {
      const { draft, change } = account.aDraft();
      account.stage(draft);
      const commit = account.setPolicy(change, { draft });
      chain.run(commit);
      expect(chain.errorOf(commit)).toBe('AccountNotInitialized');
    });
  });

  it('set_policy commits 128 counterparties and 32 categories together with limits', () => {
    const { draft, change } = account.aDraft({ counterparties: 128, categories: 32 });
    account.stage(draft);
    const whole = { ...change, maxSingleTransfer: 1n, maxDailySpend: 2n, escalationThreshold: 3n, requireMemo: true, paused: true };
    chain.run(account.setPolicy(whole, { draft }));
    expect(account.readPolicy()).toMatchObject({ ...whole, version: 2n });
    expect(chain.lamports(account.policy)).toBe(chain.rent(SPACE.policy + 160 * SPACE.entry));
  });

  it('set_policy replaces the longest lists by lists of the same length', () => {
    for (let round = 0; round < 2; round++) {
      const { draft, change } = account.aDraft({ counterparties: 128, categories: 32 });
      account.stage(draft);
      chain.run(account.setPolicy(change, { draft }));
      expect(account.readPolicy()).toMatchObject(change);
    }
  });

  it('set_policy keeps the longest list of one kind while it commits the other', () => {
    for (const lists of [
      { counterparties: 128, categories: 0 },
      { counterparties: 0, categories: 32 },
    ]) {
      const { draft, change } = account.aDraft(lists);
      account.stage(draft);
      chain.run(
        account.setPolicy(lists.categories ? { categories: change.categories } : { allowedCounterparties: change.allowedCounterparties }, {
          draft,
        }),
      );
    }
    expect(account.readPolicy().allowedCounterparties).toHaveLength(128);
    expect(account.readPolicy().categories).toHaveLength(32);
  });

  it('set_policy commits empty lists', () => {
    const { draft, change } = account.aDraft({ counterparties: 0, categories: 0 });
    account.stage(draft);
    chain.run(account.setPolicy(change, { draft }));
    expect(account.readPolicy()).toMatchObject({ allowedCounterparties: [], categories: [] });
  });

  it('set_policy refunds the draft’s rent to its rent payer', () => {
    const payer = chain.aKey();
    const { draft, change } = account.aDraft();
    chain.run(account.createDraft(draft, { payer: payer.publicKey }), account.writeDraft(draft));
    const before = chain.lamports(payer.publicKey);
    chain.run(account.setPolicy(change, { draft, accounts: { draft_rent_recipient: payer.publicKey } }));
    expect(chain.lamports(payer.publicKey) - before).toBe(chain.rent(SPACE.draft + 3 * SPACE.entry));
    expect(chain.exists(draft.address)).toBe(false);
  });

  it('a committed draft binds the next transfer', () => {
    const { draft, change } = account.aDraft();
    account.stage(draft);
    const { error, failedAt } = chain.send(account.setPolicy(change, { draft }), account.transfer());
    expect([error, failedAt]).toEqual(['AllowedCounterparties', 1]);
  });
});
