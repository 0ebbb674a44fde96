/** `set_operator`: the old operator signs, the new one accepts. */
import { anAccount, type TestAccount } from './support/account';
import { aChain, type Key, type TestChain } from './support/chain';

describe('set_operator', () => {
  let chain: TestChain;
  let account: TestAccount;
  let next: Key;

  beforeEach(() => {
    chain = aChain();
    account = anAccount(chain);
    next = chain.aKey();
  });

  it('set_operator rejects the authority as the operator', () => {
    expect(chain.errorOf(account.setOperator(account.authority.publicKey))).toBe('KeysNotDistinct');
  });

  it('set_operator rejects the creator as the operator', () => {
    expect(chain.errorOf(account.setOperator(account.creator.publicKey))).toBe('KeysNotDistinct');
  });

  it('set_operator rejects a policy as the account', () => {
    expect(chain.errorOf(account.setOperator(next.publicKey, { account: account.policy }))).toBe('AccountDiscriminatorMismatch');
  });

  describe('after set_operator', () => {
    let old: Key;

    beforeEach(() => {
      old = account.operator;
      chain.run(account.setOperator(next.publicKey));
      account.operator = next;
    });

    it('the old operator cannot change the policy after set_operator', () => {
      expect(chain.errorOf(account.setPolicy({ maxDailySpend: 1n }, { accounts: { operator: old.publicKey } }))).toBe('WrongOperator');
    });

    it('the old operator cannot pause after set_operator', () => {
      expect(chain.errorOf(account.setPolicy({ paused: true }, { accounts: { operator: old.publicKey } }))).toBe('WrongOperator');
    });

    it('the old operator cannot approve after set_operator', () => {
      account.change({ escalationThreshold: 1n });
      expect(account.errorOf({ approved: true }, { operator: old.publicKey })).toBe('WrongOperator');
    });

    it('the old operator cannot call set_operator again', () => {
      expect(chain.errorOf(account.setOperator(old.publicKey, { operator: old.publicKey }))).toBe('WrongOperator');
    });

    it('the new operator sets the policy and approves after set_operator', () => {
      account.change({ escalationThreshold: 1n });
      expect(account.errorOf({ approved: true })).toBe('none');
    });

    it('the authority spends as before after set_operator', () => {
      expect(account.errorOf()).toBe('none');
    });
  });

  it('set_operator emits an event', () => {
    const { events } = chain.run(account.setOperator(next.publicKey));
    expect(events).toEqual([
      { name: 'OperatorChanged', data: { account: account.address.toBase58(), operator: next.publicKey.toBase58() } },
    ]);
  });

  it('a staged draft can be committed by the new operator after set_operator', () => {
    const { draft, change } = account.aDraft();
    account.stage(draft, 32);
    chain.run(account.setOperator(next.publicKey));
    account.operator = next;
    chain.run(account.writeDraft(draft), account.setPolicy(change, { draft }));
    expect(account.readPolicy().allowedCounterparties).toEqual(change.allowedCounterparties);
  });
});
