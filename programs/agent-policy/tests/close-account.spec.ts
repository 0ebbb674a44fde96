/** `close_account`: refunds the rent and leaves a tombstone, so that the address is never used again. */
import { AccountState } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { SPACE, aPlan, anAccount, type TestAccount } from './support/account';
import { idOf } from './support/account-instructions';
import { aChain, type TestChain } from './support/chain';

describe('close_account', () => {
  let chain: TestChain;
  let account: TestAccount;
  let other: TestAccount;

  beforeEach(() => {
    chain = aChain();
    account = anAccount(chain, { balance: 0n, id: idOf(7), creator: chain.aKey() });
    other = anAccount(chain, { balance: 0n });
  });

  describe('close_account rejects', () => {
    it('close_account rejects an account that holds money when no destination is named', () => {
      chain.setTokens(account.tokenAccount, { amount: 1n });
      expect(chain.errorOf(account.close())).toBe('AccountInUse');
    });

    it('close_account rejects an account with money reserved', () => {
      account.setReserved(1n);
      expect(chain.errorOf(account.close())).toBe('AccountInUse');
    });

    it('close_account rejects an account with an open session', () => {
      account.setOpenSessions(1);
      expect(chain.errorOf(account.close())).toBe('AccountInUse');
    });

    it('close_account rejects a token account with a delegate', () => {
      chain.setTokens(account.tokenAccount, { delegateOption: 1, delegate: chain.aKey().publicKey });
      expect(chain.errorOf(account.close())).toBe('SourceDelegated');
    });

    it('close_account rejects a token account with a close authority', () => {
      chain.setTokens(account.tokenAccount, { closeAuthorityOption: 1, closeAuthority: chain.aKey().publicKey });
      expect(chain.errorOf(account.close())).toBe('SourceDelegated');
    });

    it('close_account rejects a frozen token account', () => {
      chain.setTokens(account.tokenAccount, { state: AccountState.Frozen });
      expect(chain.errorOf(account.close())).toBe('SourceFrozen');
    });

    it('close_account rejects any rent recipient but the creator', () => {
      expect(chain.errorOf(account.close({ creator: account.operator.publicKey }))).toBe('WrongRentRecipient');
    });

    it('close_account rejects another account’s policy', () => {
      expect(chain.errorOf(account.close({ policy: other.policy }))).toBe('WrongPolicy');
    });

    it('close_account rejects another account’s token account', () => {
      expect(chain.errorOf(account.close({ token_account: other.tokenAccount }))).toBe('WrongTokenAccount');
    });

    it('close_account rejects another mint', () => {
      expect(chain.errorOf(account.close({ mint: chain.aMint() }))).toBe('WrongMint');
    });

    it('close_account rejects another token program', () => {
      expect(chain.errorOf(account.close({ token_program: chain.aKey().publicKey }))).toBe('InvalidProgramId');
    });

    it('close_account rejects another account, of which the signer is not the operator', () => {
      expect(chain.errorOf(account.close({ account: other.address }))).toBe('WrongOperator');
      expect(chain.errorOf(account.close({ account: other.address, policy: other.policy }))).toBe('WrongOperator');
    });

    it('close_account rejects a policy as the account', () => {
      expect(chain.errorOf(account.close({ account: account.policy }))).toBe('AccountDiscriminatorMismatch');
    });

    it('close_account rejects a copy of the account that another program owns', () => {
      const copy = chain.copy(account.address, chain.aKey().publicKey);
      const policy = chain.copy(account.policy);
      chain.patch(policy, (data) => copy.toBuffer().copy(data, 16));
      expect(chain.errorOf(account.close({ account: copy, policy }))).toBe('AccountOwnedByWrongProgram');
    });
  });

  it('close_account refunds all rent to the creator except that of the tombstone', () => {
    const before = chain.lamports(account.creator.publicKey);
    chain.run(account.close());
    const back = chain.lamports(account.creator.publicKey) - before;
    expect(back).toBe(chain.rent(SPACE.account) + chain.rent(SPACE.policy) + chain.rent(SPACE.tokenAccount) - chain.rent(SPACE.closed));
    expect(chain.account(account.address).data.subarray(0, 8)).toEqual(Buffer.alloc(8, 0xff));
    expect(chain.account(account.address).data).toHaveLength(SPACE.closed);
    expect([chain.exists(account.policy), chain.exists(account.tokenAccount)]).toEqual([false, false]);
  });

  it('close_account refunds the rent of long lists', () => {
    const before = chain.lamports(account.creator.publicKey);
    account.change({ categories: ['a', 'b', 'c'] });
    chain.run(account.close());
    const back = chain.lamports(account.creator.publicKey) - before;
    expect(back).toBe(
      chain.rent(SPACE.account) + chain.rent(SPACE.policy + 3 * SPACE.entry) + chain.rent(SPACE.tokenAccount) - chain.rent(SPACE.closed),
    );
  });

  it('close_account closes a paused account that has spent', () => {
    chain.setTokens(account.tokenAccount, { amount: 5n });
    account.pay({ amount: 5n });
    account.change({ paused: true });
    expect(chain.errorOf(account.close())).toBe('none');
  });

  describe('close_account with a destination', () => {
    const closeTo = (destination: PublicKey) => account.close({ destination });

    beforeEach(() => chain.setTokens(account.tokenAccount, { amount: 7n }));

    it('close_account moves the whole balance to the destination, also while paused and above every limit', () => {
      account.change({ maxSingleTransfer: 1n, maxDailySpend: 0n, allowedCounterparties: [] });
      account.change({ paused: true });
      const { events } = chain.run(closeTo(account.payee));
      expect(chain.balance(account.payee)).toBe(7n);
      expect(events).toEqual([
        { name: 'AccountClosed', data: { account: account.address.toBase58(), swept: 7n, destination: account.payee.toBase58() } },
      ]);
    });

    it.each<[string, () => PublicKey, string]>([
      ['the token account itself', () => account.tokenAccount, 'DestinationIsSource'],
      ['a token account of another mint', () => chain.aTokenAccount({ mint: chain.aMint() }), 'Custom(3)'],
      ['a frozen token account', () => chain.aTokenAccount({ state: AccountState.Frozen }), 'Custom(17)'],
    ])('close_account rejects %s as the destination and changes nothing', (_what, destination, expected) => {
      expect(chain.errorOf(closeTo(destination()))).toBe(expected);
      expect(account.balance()).toBe(7n);
    });

    it('close_account rejects the authority as the signer', () => {
      expect(chain.errorOf(account.close({ destination: account.payee, operator: account.authority.publicKey }))).toBe('WrongOperator');
    });

    it('close_account ignores the destination when the account holds nothing', () => {
      chain.setTokens(account.tokenAccount, { amount: 0n });
      expect(chain.run(closeTo(account.payee)).events).toMatchObject([{ data: { swept: 0n, destination: PublicKey.default.toBase58() } }]);
    });
  });

  it('close_account does not touch other accounts', () => {
    chain.run(account.close());
    chain.setTokens(other.tokenAccount, { amount: 5n });
    expect(other.errorOf({ amount: 5n })).toBe('none');
  });

  it('create_account rejects the address of a closed account, even with the same keys and new lamports', () => {
    const { address, creator } = account;
    chain.run(account.close());
    chain.put(address, { ...chain.account(address), lamports: 1_000_000_000n });
    expect(chain.errorOf(aPlan(chain, { id: idOf(7), creator }).create())).toBe('Custom(0)'); // the system program's AccountAlreadyInUse
  });

  it('create_account rejects the address of an account closed in the same transaction', () => {
    const { creator, operator, authority } = account;
    const { error, failedAt } = chain.send(account.close(), aPlan(chain, { id: idOf(7), creator, operator, authority }).create());
    expect([error, failedAt]).toEqual(['Custom(0)', 1]);
    expect(chain.exists(account.policy)).toBe(true);
  });

  it('no spending or policy instruction works on a closed account', () => {
    const { draft } = account.aDraft();
    account.stage(draft);
    const attempts = [
      account.transfer(),
      account.setPolicy({ paused: true }),
      account.rotateAuthority(chain.aKey().publicKey),
      account.setOperator(chain.aKey().publicKey),
      account.createDraft(account.aDraft({ counterparties: 3 }).draft),
      account.writeDraft(draft),
      account.spending(),
    ];
    const closeAgain = account.close();
    chain.run(account.close());
    for (const attempt of attempts) expect(chain.errorOf(attempt)).toBe('AccountDiscriminatorMismatch');
    expect(chain.errorOf(closeAgain)).toBe('AccountOwnedByWrongProgram'); // the policy is gone
  });
});
