/** `rotate_authority`: another key spends from now on. */
import { anAccount, type TestAccount } from './support/account';
import { aChain, type TestChain } from './support/chain';

describe('rotate_authority', () => {
  let chain: TestChain;
  let account: TestAccount;

  beforeEach(() => {
    chain = aChain();
    account = anAccount(chain);
  });

  it('refuses the operator as the authority', () => {
    expect(chain.refusal(account.rotateAuthority(account.operator.publicKey))).toBe('KeysNotDistinct');
  });

  it('refuses the creator as the authority', () => {
    expect(chain.refusal(account.rotateAuthority(account.creator.publicKey))).toBe('KeysNotDistinct');
  });

  it('refuses a policy in the place of the account', () => {
    expect(chain.refusal(account.rotateAuthority(chain.aKey().publicKey, { account: account.policy }))).toBe(
      'AccountDiscriminatorMismatch',
    );
  });

  it("refuses a copy of the account under another program's name", () => {
    const copy = chain.copy(account.address, chain.aKey().publicKey);
    expect(chain.refusal(account.rotateAuthority(chain.aKey().publicKey, { account: copy }))).toBe('AccountOwnedByWrongProgram');
  });

  it('refuses the old authority from then on', () => {
    chain.run(account.rotateAuthority(chain.aKey().publicKey));
    expect(account.refusal()).toBe('WrongAuthority');
  });

  it('refuses the old authority later in the same transaction', () => {
    const { refusal, failedAt } = chain.send(account.rotateAuthority(chain.aKey().publicKey), account.transfer());
    expect([refusal, failedAt]).toEqual(['WrongAuthority', 1]);
  });

  it('lets the new authority spend, and tells', () => {
    const next = chain.aKey();
    const { events } = chain.run(account.rotateAuthority(next.publicKey));
    expect(events).toEqual([
      { name: 'AuthorityRotated', data: { account: account.address.toBase58(), authority: next.publicKey.toBase58() } },
    ]);
    account.authority = next;
    expect(account.refusal()).toBe('none');
  });

  it('forgets neither what was spent nor the numbers', () => {
    account.change({ maxDailySpend: 100n });
    account.pay({ amount: 100n });
    const next = chain.aKey();
    chain.run(account.rotateAuthority(next.publicKey));
    account.authority = next;
    expect(account.refusal({ amount: 1n })).toBe('MaxDailySpend');
    expect(account.refusal({ seq: 1n })).toBe('AlreadyExecuted');
  });

  it('may name the same authority again', () => {
    expect(chain.refusal(account.rotateAuthority(account.authority.publicKey))).toBe('none');
  });
});
