/** `close_policy_draft`: for the operator at any time, permissionless once the draft is stale. */
import { SPACE, anAccount, type TestAccount } from './support/account';
import type { Draft } from './support/account-instructions';
import { START, aChain, type TestChain } from './support/chain';

const HOUR = 3_600;

describe('close_policy_draft', () => {
  let chain: TestChain;
  let account: TestAccount;
  let draft: Draft;

  beforeEach(() => {
    chain = aChain();
    account = anAccount(chain);
    ({ draft } = account.aDraft());
    account.stage(draft);
  });

  const byStranger = () => chain.errorOf(account.closeDraft(draft, { closer: chain.aKey().publicKey }));

  describe('close_policy_draft rejects', () => {
    it('close_policy_draft rejects a stranger while the draft may still be committed', () => {
      expect(byStranger()).toBe('DraftInUse');
    });

    it('close_policy_draft rejects a stranger one second before the draft is an hour old', () => {
      chain.setTime(START + HOUR - 1);
      expect(byStranger()).toBe('DraftInUse');
    });

    it('close_policy_draft rejects a stranger when the clock has stepped back', () => {
      chain.setTime(START - 10 * HOUR);
      expect(byStranger()).toBe('DraftInUse');
    });

    it('close_policy_draft rejects the operator as the rent recipient when another key paid', () => {
      expect(chain.errorOf(account.closeDraft(draft, { rent_payer: account.operator.publicKey }))).toBe('WrongRentRecipient');
    });

    it('close_policy_draft rejects the stranger who closes a stale draft as its rent recipient', () => {
      chain.setTime(START + HOUR);
      const thief = chain.aKey().publicKey;
      expect(chain.errorOf(account.closeDraft(draft, { closer: thief, rent_payer: thief }))).toBe('WrongRentRecipient');
    });

    it('close_policy_draft rejects another account’s policy, which has a higher version', () => {
      const other = anAccount(chain, { policy: { paused: true } });
      expect(chain.errorOf(account.closeDraft(draft, { closer: other.operator.publicKey, policy: other.policy }))).toBe('WrongPolicy');
    });

    it('close_policy_draft rejects another account, whose operator signs', () => {
      const other = anAccount(chain, { policy: { paused: true } });
      expect(chain.errorOf(other.closeDraft(draft))).toBe('WrongDraft');
    });

    it('close_policy_draft rejects a policy as the draft', () => {
      expect(chain.errorOf(account.closeDraft(draft, { draft: account.policy }))).toBe('AccountDiscriminatorMismatch');
    });

    it('close_policy_draft rejects a draft that was closed before', () => {
      chain.run(account.closeDraft(draft));
      expect(chain.errorOf(account.closeDraft(draft))).toBe('AccountNotInitialized');
    });
  });

  it('close_policy_draft lets a stranger close a draft that is an hour old', () => {
    chain.setTime(START + HOUR);
    expect(byStranger()).toBe('none');
  });

  it('close_policy_draft lets a stranger close a draft whose target version has passed', () => {
    account.change({ paused: true });
    expect(byStranger()).toBe('none');
  });

  it('close_policy_draft lets the operator close a new draft and refunds the rent payer', () => {
    const before = chain.lamports(chain.feePayer.publicKey);
    const { error } = chain.sendAs(account.operator, account.closeDraft(draft));
    expect(error).toBeUndefined();
    expect(chain.lamports(chain.feePayer.publicKey) - before).toBe(chain.rent(SPACE.draft + 3 * SPACE.entry));
    expect(chain.exists(draft.address)).toBe(false);
  });

  it('close_policy_draft lets a stranger close a draft of a closed account and refunds the rent payer', () => {
    const closed = anAccount(chain, { balance: 0n });
    const fresh = closed.aDraft().draft;
    closed.stage(fresh);
    const closing = closed.closeDraft(fresh, { closer: chain.aKey().publicKey });
    chain.run(closed.close());
    const before = chain.lamports(chain.feePayer.publicKey);
    expect(chain.errorOf(closing)).toBe('none');
    expect(chain.exists(fresh.address)).toBe(false);
    expect(chain.lamports(chain.feePayer.publicKey)).toBeGreaterThan(before);
  });

  it('create_policy_draft creates a draft again after it was closed', () => {
    chain.run(account.closeDraft(draft));
    account.stage(draft);
    expect(chain.exists(draft.address)).toBe(true);
  });
});
