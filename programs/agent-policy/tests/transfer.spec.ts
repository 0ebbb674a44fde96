/** `transfer`: its accounts, the money that it moves, and its event. */
import { AccountState, TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID, createCloseAccountInstruction } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { anAccount, type TestAccount } from './support/account';
import { idOf } from './support/account-instructions';
import { NO_LIMIT, aChain, type TestChain } from './support/chain';

describe('transfer', () => {
  let chain: TestChain;
  let account: TestAccount;
  let other: TestAccount;

  beforeEach(() => {
    chain = aChain();
    account = anAccount(chain);
    other = anAccount(chain);
  });

  /** Nothing moved and no nonce was used. */
  function expectUntouched(): void {
    expect(account.balance()).toBe(1_000n);
    expect(account.read()).toMatchObject({ replay: { highest: 0n }, window: { spent: 0n } });
  }

  describe('transfer checks the destination', () => {
    it.each<[string, () => PublicKey, string]>([
      ['a wallet', () => chain.aKey().publicKey, 'InvalidDestination'],
      ['an address that never existed', () => chain.aKey(0n).publicKey, 'InvalidDestination'],
      ['the source token account', () => account.tokenAccount, 'DestinationIsSource'],
      ['a frozen token account', () => chain.aTokenAccount({ state: AccountState.Frozen }), 'DestinationFrozen'],
      ['an uninitialised token account', () => chain.aTokenAccount({ state: AccountState.Uninitialized }), 'InvalidDestination'],
      ['a token account of another mint', () => chain.aTokenAccount({ mint: chain.aMint() }), 'InvalidDestination'],
      ['a token account of Token-2022', () => chain.aTokenAccount({ program: TOKEN_2022_PROGRAM_ID }), 'InvalidDestination'],
      [
        'a token account’s bytes owned by another program',
        () => chain.aTokenAccount({ program: chain.aKey().publicKey }),
        'InvalidDestination',
      ],
      ['the mint', () => chain.mint, 'InvalidDestination'],
      ['the policy', () => account.policy, 'InvalidDestination'],
      ['the account itself', () => account.address, 'InvalidDestination'],
      ['another account itself', () => other.address, 'InvalidDestination'],
      ['the token program', () => TOKEN_PROGRAM_ID, 'InvalidDestination'],
    ])('transfer rejects %s as the destination', (_what, destination, error) => {
      expect(account.errorOf({ destination: destination() })).toBe(error);
      expectUntouched();
    });

    it('transfer rejects a closed token account as the destination', () => {
      const owner = chain.aKey();
      const destination = chain.aTokenAccount({ owner: owner.publicKey });
      chain.run(createCloseAccountInstruction(destination, owner.publicKey, owner.publicKey));
      expect(account.errorOf({ destination })).toBe('InvalidDestination');
    });

    it('transfer rejects a destination that was frozen one instruction earlier', () => {
      const freeze = chain.freeze(account.payee);
      const { error, failedAt } = chain.send(freeze, account.transfer());
      expect([error, failedAt]).toEqual(['DestinationFrozen', 1]);
    });

    it('transfer rejects a multisig account of the token program as the destination', () => {
      const multisig = chain.aKey(0n).publicKey;
      chain.put(multisig, { owner: TOKEN_PROGRAM_ID, data: Buffer.alloc(355, 1) });
      expect(account.errorOf({ destination: multisig })).toBe('InvalidDestination');
    });

    it('transfer rejects a token account of another length as the destination', () => {
      const long = chain.aKey(0n).publicKey;
      chain.put(long, { owner: TOKEN_PROGRAM_ID, data: Buffer.concat([chain.account(account.payee).data, Buffer.alloc(1)]) });
      expect(account.errorOf({ destination: long })).toBe('InvalidDestination');
    });
  });

  describe('transfer checks the source', () => {
    it('transfer rejects a source with a delegate', () => {
      chain.setTokens(account.tokenAccount, { delegateOption: 1, delegate: chain.aKey().publicKey, delegatedAmount: 5n });
      expect(account.errorOf()).toBe('SourceDelegated');
    });

    it('transfer rejects a source with a close authority', () => {
      chain.setTokens(account.tokenAccount, { closeAuthorityOption: 1, closeAuthority: chain.aKey().publicKey });
      expect(account.errorOf()).toBe('SourceDelegated');
    });

    it('transfer rejects a frozen source', () => {
      chain.run(chain.freeze(account.tokenAccount));
      expect(account.errorOf()).toBe('SourceFrozen');
    });

    it('transfer rejects a source that was closed', () => {
      chain.put(account.tokenAccount, { owner: PublicKey.default, data: Buffer.alloc(0), lamports: 1n });
      expect(account.errorOf()).toBe('WrongTokenAccount');
    });
  });

  describe('transfer checks its accounts', () => {
    it.each<[string, string, () => PublicKey, string]>([
      ['another account’s policy', 'policy', () => other.policy, 'WrongPolicy'],
      ['another account’s token account', 'token_account', () => other.tokenAccount, 'WrongTokenAccount'],
      ['a stranger’s token account', 'token_account', () => account.payee, 'WrongTokenAccount'],
      [
        'another token account of the same owner',
        'token_account',
        () => chain.aTokenAccount({ owner: account.address, amount: 5n }),
        'WrongTokenAccount',
      ],
      ['another mint', 'mint', () => chain.aMint(), 'WrongMint'],
      ['the policy as the account', 'account', () => account.policy, 'AccountDiscriminatorMismatch'],
      ['the account as the policy', 'policy', () => account.address, 'AccountDiscriminatorMismatch'],
      [
        'a copy of the account that another program owns',
        'account',
        () => chain.copy(account.address, chain.aKey().publicKey),
        'AccountOwnedByWrongProgram',
      ],
      [
        'a copy of the policy that another program owns',
        'policy',
        () => chain.copy(account.policy, chain.aKey().publicKey),
        'AccountOwnedByWrongProgram',
      ],
      ['a wallet as the policy', 'policy', () => chain.aKey().publicKey, 'AccountOwnedByWrongProgram'],
      ['Token-2022 as the token program', 'token_program', () => TOKEN_2022_PROGRAM_ID, 'InvalidProgramId'],
    ])('transfer rejects %s', (_what, name, address, error) => {
      expect(account.errorOf({}, { [name]: address() })).toBe(error);
      expectUntouched();
    });

    it('transfer rejects a draft of a generous policy as the policy', () => {
      const { draft } = account.aDraft();
      account.stage(draft);
      expect(account.errorOf({}, { policy: draft.address })).toBe('AccountDiscriminatorMismatch');
    });

    it('transfer rejects an account that the transaction does not declare as writable', () => {
      const transfer = account.transfer();
      for (const meta of transfer.keys) if (meta.pubkey.equals(account.address)) meta.isWritable = false;
      expect(chain.errorOf(transfer)).toBe('ConstraintMut');
    });

    it('transfer rejects too few accounts', () => {
      const transfer = account.transfer();
      transfer.keys.pop();
      expect(chain.errorOf(transfer)).toBe('AccountNotEnoughKeys');
    });

    it('transfer rejects truncated arguments', () => {
      const transfer = account.transfer();
      transfer.data = transfer.data.subarray(0, -1);
      expect(chain.errorOf(transfer)).toBe('InstructionDidNotDeserialize');
    });
  });

  describe('transfer amounts', () => {
    it('transfer rejects an amount of zero', () => {
      expect(account.errorOf({ amount: 0n })).toBe('AmountZero');
    });

    it('transfer rejects the largest amount by the balance', () => {
      expect(account.errorOf({ amount: NO_LIMIT })).toBe('InsufficientBalance');
    });

    it('transfer rejects the largest amount by the daily limit when the balance suffices', () => {
      account.change({ maxDailySpend: NO_LIMIT - 1n });
      chain.setTokens(account.tokenAccount, { amount: NO_LIMIT });
      expect(account.errorOf({ amount: NO_LIMIT })).toBe('MaxDailySpend');
    });

    it('transfer declines an amount that would overflow the sum of the day as max_daily_spend', () => {
      chain.setTokens(account.tokenAccount, { amount: NO_LIMIT });
      expect(account.errorOf({ amount: NO_LIMIT - 1n })).toBe('none');
      chain.setTokens(account.tokenAccount, { amount: 2n });
      expect(account.errorOf({ amount: 2n })).toBe('MaxDailySpend');
    });
  });

  it('transfer moves exactly the amount', () => {
    account.pay({ amount: 400n });
    expect([account.balance(), chain.balance(account.payee)]).toEqual([600n, 400n]);
  });

  it('transfer moves the whole balance', () => {
    expect(account.errorOf({ amount: 1_000n })).toBe('none');
    expect(account.balance()).toBe(0n);
  });

  it('transfer pays another agent account', () => {
    account.pay({ amount: 10n, destination: other.tokenAccount });
    expect(other.balance()).toBe(1_010n);
    expect(other.read()).toMatchObject({ window: { spent: 0n } });
  });

  it('transfer pays a token account with a delegate or a close authority', () => {
    const destination = chain.aTokenAccount({
      delegateOption: 1,
      delegate: chain.aKey().publicKey,
      closeAuthorityOption: 1,
      closeAuthority: chain.aKey().publicKey,
    });
    expect(account.errorOf({ destination })).toBe('none');
  });

  it('transfer emits an event with all its fields', () => {
    account.change({ categories: ['compute'] });
    const { events } = account.pay({
      seq: 9n,
      amount: 12n,
      transferId: idOf(77),
      category: 'compute',
      memoHash: Buffer.alloc(32, 3),
      approved: true,
    });
    expect(events).toEqual([
      {
        name: 'Transferred',
        data: {
          account: account.address.toBase58(),
          transfer_id: idOf(77).toString('hex'),
          seq: 9n,
          amount: 12n,
          destination: account.payee.toBase58(),
          policy_version: 2n,
          category: Buffer.concat([Buffer.from('compute')], 32).toString('hex'),
          memo_hash: Buffer.alloc(32, 3).toString('hex'),
          approved: true,
        },
      },
    ]);
  });

  it('transfer emits zeros where there is no category, memo or approval', () => {
    const { events } = account.pay();
    const zeros = Buffer.alloc(32).toString('hex');
    expect(events).toMatchObject([{ name: 'Transferred', data: { category: zeros, memo_hash: zeros, approved: false } }]);
  });

  describe('two transfers in one transaction', () => {
    const both = (first: bigint, second: bigint) =>
      chain.send(account.transfer({ seq: 1n, amount: first }), account.transfer({ seq: 2n, amount: second }));

    it('two transfers in one transaction are both counted', () => {
      account.change({ maxDailySpend: 100n });
      expect(both(60n, 40n).error).toBeUndefined();
      expect(account.errorOf({ seq: 3n, amount: 1n })).toBe('MaxDailySpend');
      expect(account.balance()).toBe(900n);
    });

    it('two transfers in one transaction both fail when the second is rejected', () => {
      account.change({ maxDailySpend: 100n });
      const { error, failedAt } = both(60n, 41n);
      expect([error, failedAt]).toEqual(['MaxDailySpend', 1]);
      expectUntouched();
    });

    it('two transfers in one transaction cannot spend the same money', () => {
      expect(both(600n, 401n)).toMatchObject({ error: 'InsufficientBalance', failedAt: 1 });
    });

    it('two transfers in one transaction both fail when the operator pauses between them', () => {
      const outcome = chain.send(account.transfer({ seq: 1n }), account.setPolicy({ paused: true }), account.transfer({ seq: 2n }));
      expect(outcome).toMatchObject({ error: 'Paused', failedAt: 2 });
      expectUntouched();
      expect(account.readPolicy().paused).toBe(false);
    });

    it('two transfers in one transaction may pay from two accounts', () => {
      chain.run(account.transfer({ amount: 5n }), other.transfer({ amount: 7n }));
      expect([account.balance(), other.balance()]).toEqual([995n, 993n]);
    });
  });
});
