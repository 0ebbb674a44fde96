/** `close_policy_draft`: the operator at any time, anybody once it is stale. */
import { SPACE, anAccount, type Draft, type TestAccount } from './support/account';
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

  const byStranger = () => chain.refusal(account.closeDraft(draft, { closer: chain.aKey().publicKey }));

  describe('refuses', () => {
    it('a stranger while the draft may still be committed', () => {
      expect(byStranger()).toBe('DraftInUse');
    });

    it('a stranger one second before it is an hour old', () => {
      chain.setTime(START + HOUR - 1);
      expect(byStranger()).toBe('DraftInUse');
    });

    it('a stranger when the clock stands back', () => {
      chain.setTime(START - 10 * HOUR);
      expect(byStranger()).toBe('DraftInUse');
    });

    it('to give the rent to the operator, who did not pay it', () => {
      expect(chain.refusal(account.closeDraft(draft, { rent_payer: account.operator.publicKey }))).toBe('WrongRentRecipient');
    });

    it('to give the rent of a stale draft to the stranger who closes it', () => {
      chain.setTime(START + HOUR);
      const thief = chain.aKey().publicKey;
      expect(chain.refusal(account.closeDraft(draft, { closer: thief, rent_payer: thief }))).toBe('WrongRentRecipient');
    });

    it("the other account's policy, whose version is higher", () => {
      const other = anAccount(chain, { policy: { paused: true } });
      expect(chain.refusal(account.closeDraft(draft, { closer: other.operator.publicKey, policy: other.policy }))).toBe('WrongPolicy');
    });

    it('the other account, whose operator closes', () => {
      const other = anAccount(chain, { policy: { paused: true } });
      expect(chain.refusal(other.closeDraft(draft))).toBe('WrongDraft');
    });

    it('a policy in the place of the draft', () => {
      expect(chain.refusal(account.closeDraft(draft, { draft: account.policy }))).toBe('AccountDiscriminatorMismatch');
    });

    it('the same draft a second time', () => {
      chain.run(account.closeDraft(draft));
      expect(chain.refusal(account.closeDraft(draft))).toBe('AccountNotInitialized');
    });
  });

  it('lets a stranger close what is an hour old', () => {
    chain.setTime(START + HOUR);
    expect(byStranger()).toBe('none');
  });

  it('lets a stranger close what another change has outdated', () => {
    account.change({ paused: true });
    expect(byStranger()).toBe('none');
  });

  it('lets the operator close it at once, and gives the rent back to who paid it', () => {
    const before = chain.lamports(chain.feePayer.publicKey);
    const { refusal } = chain.sendAs(account.operator, account.closeDraft(draft));
    expect(refusal).toBeUndefined();
    expect(chain.lamports(chain.feePayer.publicKey) - before).toBe(chain.rent(SPACE.draft + 3 * SPACE.entry));
    expect(chain.exists(draft.address)).toBe(false);
  });

  it('close_policy_draft gives the rent of a draft back after its account was closed, whoever closes it', () => {
    const closed = anAccount(chain, { balance: 0n });
    const fresh = closed.aDraft().draft;
    closed.stage(fresh);
    const closing = closed.closeDraft(fresh, { closer: chain.aKey().publicKey });
    chain.run(closed.close());
    const before = chain.lamports(chain.feePayer.publicKey);
    expect(chain.refusal(closing)).toBe('none');
    expect(chain.exists(fresh.address)).toBe(false);
    expect(chain.lamports(chain.feePayer.publicKey)).toBeGreaterThan(before);
  });

  it('lets the same draft be made again', () => {
    chain.run(account.closeDraft(draft));
    account.stage(draft);
    expect(chain.exists(draft.address)).toBe(true);
  });
});
