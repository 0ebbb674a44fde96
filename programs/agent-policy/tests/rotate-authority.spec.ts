/** `rotate_authority`: replaces the key that spends. */
import { anAccount, type TestAccount } from './support/account';
import { aChain, type TestChain } from './support/chain';

describe('rotate_authority', () => {
  let chain: TestChain;
  let account: TestAccount;

  beforeEach(() => {
    chain = aChain();
    account = anAccount(chain);
  });

  it('rotate_authority rejects the operator as the authority', () => {
    expect(chain.errorOf(account.rotateAuthority(account.operator.publicKey))).toBe('KeysNotDistinct');
  });

  it('rotate_authority rejects the creator as the authority', () => {
    expect(chain.errorOf(account.rotateAuthority(account.creator.publicKey))).toBe('KeysNotDistinct');
  });

  it('rotate_authority rejects a policy as the account', () => {
    expect(chain.errorOf(account.rotateAuthority(chain.aKey().publicKey, { account: account.policy }))).toBe(
      'AccountDiscriminatorMismatch',
    );
  });

  it('rotate_authority rejects a copy of the account that another program owns', () => {
    const copy = chain.copy(account.address, chain.aKey().publicKey);
    expect(chain.errorOf(account.rotateAuthority(chain.aKey().publicKey, { account: copy }))).toBe('AccountOwnedByWrongProgram');
  });

  it('the old authority is rejected after rotate_authority', () => {
    chain.run(account.rotateAuthority(chain.aKey().publicKey));
    expect(account.errorOf()).toBe('WrongAuthority');
  });

  it('the old authority is rejected later in the transaction of rotate_authority', () => {
    const { error, failedAt } = chain.send(account.rotateAuthority(chain.aKey().publicKey), account.transfer());
    expect([error, failedAt]).toEqual(['WrongAuthority', 1]);
  });

  it('the new authority spends after rotate_authority, which emits an event', () => {
    const next = chain.aKey();
    const { events } = chain.run(account.rotateAuthority(next.publicKey));
    expect(events).toEqual([
      { name: 'AuthorityRotated', data: { account: account.address.toBase58(), authority: next.publicKey.toBase58() } },
    ]);
    account.authority = next;
    expect(account.errorOf()).toBe('none');
  });

  it('rotate_authority keeps the spend window and the used nonces', () => {
    account.change({ maxDailySpend: 100n });
    account.pay({ amount: 100n });
    const next = chain.aKey();
    chain.run(account.rotateAuthority(next.publicKey));
    account.authority = next;
    expect(account.errorOf({ amount: 1n })).toBe('MaxDailySpend');
    expect(account.errorOf({ seq: 1n })).toBe('AlreadyExecuted');
  });

  it('rotate_authority accepts the current authority', () => {
    expect(chain.errorOf(account.rotateAuthority(account.authority.publicKey))).toBe('none');
  });
});
