/** `transfer`: the accounts that it takes, the money that it moves, and what it tells. */
import {
  AccountState,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
  createCloseAccountInstruction,
  createFreezeAccountInstruction,
} from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { anAccount, idOf, type TestAccount } from './support/account';
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

  /** Nothing moved and no number was spent. */
  function expectUntouched(): void {
    expect(account.balance()).toBe(1_000n);
    expect(account.read()).toMatchObject({ replay: { highest: 0n }, window: { spent: 0n } });
  }

  describe('refuses as the destination', () => {
    it.each<[string, () => PublicKey, string]>([
      ['a wallet', () => chain.aKey().publicKey, 'InvalidDestination'],
      ['an address that never existed', () => chain.aKey(0n).publicKey, 'InvalidDestination'],
      ['the source', () => account.tokenAccount, 'DestinationIsSource'],
      ['a frozen token account', () => chain.aTokenAccount({ state: AccountState.Frozen }), 'DestinationFrozen'],
      ['an uninitialised token account', () => chain.aTokenAccount({ state: AccountState.Uninitialized }), 'InvalidDestination'],
      ['a token account of another mint', () => chain.aTokenAccount({ mint: chain.aMint() }), 'InvalidDestination'],
      ['a token account of Token-2022', () => chain.aTokenAccount({ program: TOKEN_2022_PROGRAM_ID }), 'InvalidDestination'],
      ['a look-alike under no program', () => chain.aTokenAccount({ program: chain.aKey().publicKey }), 'InvalidDestination'],
      ['the mint', () => chain.mint, 'InvalidDestination'],
      ['the policy', () => account.policy, 'InvalidDestination'],
      ['the account itself', () => account.address, 'AccountBorrowFailed'],
      ['the other account itself', () => other.address, 'InvalidDestination'],
      ['the token program', () => TOKEN_PROGRAM_ID, 'InvalidDestination'],
    ])('%s', (_what, destination, refusal) => {
      expect(account.refusal({ destination: destination() })).toBe(refusal);
      expectUntouched();
    });

    it('a token account that was closed', () => {
      const owner = chain.aKey();
      const destination = chain.aTokenAccount({ owner: owner.publicKey });
      chain.run(createCloseAccountInstruction(destination, owner.publicKey, owner.publicKey));
      expect(account.refusal({ destination })).toBe('InvalidDestination');
    });

    it('a token account that is frozen one instruction earlier', () => {
      const freeze = createFreezeAccountInstruction(account.payee, chain.mint, chain.freezeAuthority.publicKey);
      const { refusal, failedAt } = chain.send(freeze, account.transfer());
      expect([refusal, failedAt]).toEqual(['DestinationFrozen', 1]);
    });

    it('a multisig account of the token program', () => {
      const multisig = chain.aKey(0n).publicKey;
      chain.put(multisig, { owner: TOKEN_PROGRAM_ID, data: Buffer.alloc(355, 1) });
      expect(account.refusal({ destination: multisig })).toBe('InvalidDestination');
    });

    it('a token account of another length', () => {
      const long = chain.aKey(0n).publicKey;
      chain.put(long, { owner: TOKEN_PROGRAM_ID, data: Buffer.concat([chain.account(account.payee).data, Buffer.alloc(1)]) });
      expect(account.refusal({ destination: long })).toBe('InvalidDestination');
    });
  });

  describe('refuses as the source', () => {
    it('a token account with a delegate', () => {
      chain.setTokens(account.tokenAccount, { delegateOption: 1, delegate: chain.aKey().publicKey, delegatedAmount: 5n });
      expect(account.refusal()).toBe('SourceDelegated');
    });

    it('a token account with a close authority', () => {
      chain.setTokens(account.tokenAccount, { closeAuthorityOption: 1, closeAuthority: chain.aKey().publicKey });
      expect(account.refusal()).toBe('SourceDelegated');
    });

    it('a frozen token account', () => {
      chain.run(createFreezeAccountInstruction(account.tokenAccount, chain.mint, chain.freezeAuthority.publicKey));
      expect(account.refusal()).toBe('SourceFrozen');
    });

    it('a token account that is no more', () => {
      chain.put(account.tokenAccount, { owner: PublicKey.default, data: Buffer.alloc(0), lamports: 1n });
      expect(account.refusal()).toBe('WrongTokenAccount');
    });
  });

  describe('refuses in the place of its own', () => {
    it.each<[string, string, () => PublicKey, string]>([
      ["the other account's policy", 'policy', () => other.policy, 'WrongPolicy'],
      ["the other account's token account", 'token_account', () => other.tokenAccount, 'WrongTokenAccount'],
      ["somebody's token account", 'token_account', () => account.payee, 'WrongTokenAccount'],
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
        'a copy of the account under another program',
        'account',
        () => chain.copy(account.address, chain.aKey().publicKey),
        'AccountOwnedByWrongProgram',
      ],
      [
        'a copy of the policy under another program',
        'policy',
        () => chain.copy(account.policy, chain.aKey().publicKey),
        'AccountOwnedByWrongProgram',
      ],
      ['a wallet as the policy', 'policy', () => chain.aKey().publicKey, 'AccountOwnedByWrongProgram'],
      ['Token-2022 as the token program', 'token_program', () => TOKEN_2022_PROGRAM_ID, 'InvalidProgramId'],
    ])('%s', (_what, name, address, refusal) => {
      expect(account.refusal({}, { [name]: address() })).toBe(refusal);
      expectUntouched();
    });

    it('a draft of a generous policy as the policy', () => {
      const { draft } = account.aDraft();
      account.stage(draft);
      expect(account.refusal({}, { policy: draft.address })).toBe('AccountDiscriminatorMismatch');
    });

    it('an account whose data the transaction may not write', () => {
      const transfer = account.transfer();
      for (const meta of transfer.keys) if (meta.pubkey.equals(account.address)) meta.isWritable = false;
      expect(chain.refusal(transfer)).toBe('ConstraintMut');
    });

    it('fewer accounts', () => {
      const transfer = account.transfer();
      transfer.keys.pop();
      expect(chain.refusal(transfer)).toBe('AccountNotEnoughKeys');
    });

    it('arguments cut short', () => {
      const transfer = account.transfer();
      transfer.data = transfer.data.subarray(0, -1);
      expect(chain.refusal(transfer)).toBe('InstructionDidNotDeserialize');
    });
  });

  describe('amounts', () => {
    it('refuses nothing', () => {
      expect(account.refusal({ amount: 0n })).toBe('AmountZero');
    });

    it('refuses the largest number for want of money', () => {
      expect(account.refusal({ amount: NO_LIMIT })).toBe('InsufficientBalance');
    });

    it('refuses the largest number by the daily limit even where the money is there', () => {
      account.change({ maxDailySpend: NO_LIMIT - 1n });
      chain.setTokens(account.tokenAccount, { amount: NO_LIMIT });
      expect(account.refusal({ amount: NO_LIMIT })).toBe('MaxDailySpend');
    });

    it('refuses what would make the day’s sum overflow', () => {
      chain.setTokens(account.tokenAccount, { amount: NO_LIMIT });
      expect(account.refusal({ amount: NO_LIMIT - 1n })).toBe('none');
      chain.setTokens(account.tokenAccount, { amount: 2n });
      expect(account.refusal({ amount: 2n })).toBe('Overflow');
    });
  });

  it('moves exactly the amount', () => {
    account.pay({ amount: 400n });
    expect([account.balance(), chain.balance(account.payee)]).toEqual([600n, 400n]);
  });

  it('may empty the account', () => {
    expect(account.refusal({ amount: 1_000n })).toBe('none');
    expect(account.balance()).toBe(0n);
  });

  it('pays another agent', () => {
    account.pay({ amount: 10n, destination: other.tokenAccount });
    expect(other.balance()).toBe(1_010n);
    expect(other.read()).toMatchObject({ window: { spent: 0n } });
  });

  it('pays a token account that others may use', () => {
    const destination = chain.aTokenAccount({
      delegateOption: 1,
      delegate: chain.aKey().publicKey,
      closeAuthorityOption: 1,
      closeAuthority: chain.aKey().publicKey,
    });
    expect(account.refusal({ destination })).toBe('none');
  });

  it('tells everything about it', () => {
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

  it('tells zeros where there is no category, memo or approval', () => {
    const { events } = account.pay();
    const zeros = Buffer.alloc(32).toString('hex');
    expect(events).toMatchObject([{ name: 'Transferred', data: { category: zeros, memo_hash: zeros, approved: false } }]);
  });

  describe('two in one transaction', () => {
    const both = (first: bigint, second: bigint) =>
      chain.send(account.transfer({ seq: 1n, amount: first }), account.transfer({ seq: 2n, amount: second }));

    it('are both counted', () => {
      account.change({ maxDailySpend: 100n });
      expect(both(60n, 40n).refusal).toBeUndefined();
      expect(account.refusal({ seq: 3n, amount: 1n })).toBe('MaxDailySpend');
      expect(account.balance()).toBe(900n);
    });

    it('fail together when the second is refused', () => {
      account.change({ maxDailySpend: 100n });
      const { refusal, failedAt } = both(60n, 41n);
      expect([refusal, failedAt]).toEqual(['MaxDailySpend', 1]);
      expectUntouched();
    });

    it('cannot spend the same money', () => {
      expect(both(600n, 401n)).toMatchObject({ refusal: 'InsufficientBalance', failedAt: 1 });
    });

    it('are refused where the operator pauses in between', () => {
      const outcome = chain.send(account.transfer({ seq: 1n }), account.setPolicy({ paused: true }), account.transfer({ seq: 2n }));
      expect(outcome).toMatchObject({ refusal: 'Paused', failedAt: 2 });
      expectUntouched();
      expect(account.readPolicy().paused).toBe(false);
    });

    it('are paid from two accounts', () => {
      chain.run(account.transfer({ amount: 5n }), other.transfer({ amount: 7n }));
      expect([account.balance(), other.balance()]).toEqual([995n, 993n]);
    });
  });
});
