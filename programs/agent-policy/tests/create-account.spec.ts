/** `create_account`: who may create which account, and its initial state. */
import { NATIVE_MINT, TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID, createAssociatedTokenAccountIdempotentInstruction } from '@solana/spl-token';
import { PublicKey, SystemProgram } from '@solana/web3.js';
import { OFFSET, SPACE, aPlan, anAccount } from './support/account';
import { idOf } from './support/account-instructions';
import { START, aChain, type TestChain } from './support/chain';

describe('create_account', () => {
  let chain: TestChain;

  beforeEach(() => {
    chain = aChain();
  });

  describe('create_account rejects', () => {
    it('create_account rejects an operator that is also the authority', () => {
      const key = chain.aKey();
      expect(chain.errorOf(aPlan(chain, { operator: key, authority: key }).create())).toBe('KeysNotDistinct');
    });

    it('create_account rejects an operator that is also the creator', () => {
      expect(chain.errorOf(aPlan(chain, { operator: chain.feePayer }).create())).toBe('KeysNotDistinct');
    });

    it('create_account rejects an authority that is also the creator', () => {
      expect(chain.errorOf(aPlan(chain, { authority: chain.feePayer }).create())).toBe('KeysNotDistinct');
    });

    it('create_account rejects an id that the same creator used before', () => {
      const { creator } = anAccount(chain, { id: idOf(7) });
      expect(chain.errorOf(aPlan(chain, { id: idOf(7), creator }).create())).toBe('Custom(0)'); // the system program's AccountAlreadyInUse
    });

    it('create_account rejects the address of another id', () => {
      expect(chain.errorOf(aPlan(chain).create({ account: aPlan(chain).address }))).toBe('ConstraintSeeds');
    });

    it('create_account rejects the address of another creator’s account with the same id', () => {
      const other = aPlan(chain, { creator: chain.aKey(), id: idOf(7) });
      expect(chain.errorOf(aPlan(chain, { id: idOf(7) }).create({ account: other.address, policy: other.policy }))).toBe('ConstraintSeeds');
    });

    it('create_account rejects another account’s policy', () => {
      expect(chain.errorOf(aPlan(chain).create({ policy: anAccount(chain).policy }))).toBe('ConstraintSeeds');
    });

    it('create_account rejects another account’s token account', () => {
      expect(chain.errorOf(aPlan(chain).create({ token_account: anAccount(chain).tokenAccount }))).toBe('MissingAccount'); // The associated one does not exist.
    });

    it('create_account rejects its own token account unless it is the associated one', () => {
      const plan = aPlan(chain);
      expect(chain.errorOf(plan.create({ token_account: chain.aTokenAccount({ owner: plan.address }) }))).toBe('MissingAccount');
    });

    it.each([
      ['an empty address', () => chain.aKey(0n).publicKey, 'AccountNotInitialized'],
      ['a wallet', () => chain.aKey().publicKey, 'AccountOwnedByWrongProgram'],
      ['a token account', () => chain.aTokenAccount(), 'InvalidAccountData'],
      ['a mint of Token-2022', () => chain.aMint({ owner: TOKEN_2022_PROGRAM_ID }), 'AccountOwnedByWrongProgram'],
    ])('create_account rejects %s as the mint', (_what, mint, name) => {
      expect(chain.errorOf(aPlan(chain, { mint: mint() }).create())).toBe(name);
    });

    it('create_account rejects the native mint, whose lamports become tokens without a transfer', () => {
      chain.put(NATIVE_MINT, { owner: TOKEN_PROGRAM_ID, data: chain.account(chain.mint).data });
      expect(chain.errorOf(aPlan(chain, { mint: NATIVE_MINT }).create())).toBe('WrongMint');
    });

    it.each(['token_program', 'associated_token_program', 'system_program'])('create_account rejects another program as %s', (program) => {
      expect(chain.errorOf(aPlan(chain).create({ [program]: TOKEN_2022_PROGRAM_ID }))).toBe('InvalidProgramId');
    });

    it('create_account rejects a token account that was created earlier and is frozen', () => {
      const plan = aPlan(chain);
      chain.run(createAssociatedTokenAccountIdempotentInstruction(chain.feePayer.publicKey, plan.tokenAccount, plan.address, chain.mint));
      chain.setTokens(plan.tokenAccount, { state: 2 });
      expect(chain.errorOf(plan.create())).toBe('SourceFrozen');
    });

    it('create_account rejects a creator that cannot pay the rent', () => {
      const creator = chain.aKey(1_000_000n);
      expect(chain.errorOf(aPlan(chain, { creator }).create())).toBe('Custom(1)'); // the system program's ResultWithNegativeLamports
    });

    it('create_account rejects a clock before 1970', () => {
      chain.setTime(-1);
      expect(chain.errorOf(aPlan(chain).create())).toBe('ClockInvalid');
    });
  });

  it('create_account stores the keys and empty spend windows', () => {
    const account = anAccount(chain, { id: idOf(5) });
    expect(account.read()).toMatchObject({
      version: 3,
      is_member: 0,
      has_policy: 1,
      id: idOf(5).toString('hex'),
      creator: chain.feePayer.publicKey.toBase58(),
      controller: account.operator.publicKey.toBase58(),
      authority: account.authority.publicKey.toBase58(),
      token_account: account.tokenAccount.toBase58(),
      reserved: 0n,
      lifetime: 0n,
      open_sessions: 0,
      window: { newest: BigInt(START / 900), spent: 0n },
      month: { newest: BigInt(Math.floor(START / 86_400)), spent: 0n },
      replay: { highest: 0n },
    });
    expect(chain.account(account.address).data).toHaveLength(SPACE.account);
    const { data } = chain.account(account.address);
    expect(new PublicKey(data.subarray(OFFSET.controller, OFFSET.controller + 32))).toEqual(account.operator.publicKey);
  });

  it('create_account sets a policy without limits', () => {
    const account = anAccount(chain);
    expect(account.readPolicy()).toEqual({
      version: 1n,
      maxSingleTransfer: null,
      maxSessionCap: null,
      maxDailySpend: null,
      maxMonthlySpend: null,
      maxLifetimeSpend: null,
      escalationThreshold: null,
      approvalAboveDailySum: null,
      validUntil: null,
      allowedCounterparties: null,
      categories: null,
      requireMemo: false,
      paused: false,
      updatedAt: new Date(START * 1000),
    });
    expect(chain.account(account.policy).data).toHaveLength(SPACE.policy);
  });

  it('create_account creates an empty token account that only the account controls', () => {
    const { tokenAccount, address } = anAccount(chain, { balance: 0n });
    const { data, owner } = chain.account(tokenAccount);
    expect(owner).toEqual(TOKEN_PROGRAM_ID);
    expect(new PublicKey(data.subarray(32, 64))).toEqual(address);
    expect(chain.balance(tokenAccount)).toBe(0n);
  });

  it('create_account charges the creator exactly the rent of the three accounts', () => {
    const creator = chain.aKey();
    const before = chain.lamports(creator.publicKey);
    anAccount(chain, { creator });
    expect(before - chain.lamports(creator.publicKey)).toBe(
      chain.rent(SPACE.account) + chain.rent(SPACE.policy) + chain.rent(SPACE.tokenAccount),
    );
  });

  it('create_account accepts a token account that another key created and funded', () => {
    const plan = aPlan(chain);
    const stranger = chain.aKey();
    chain.run(createAssociatedTokenAccountIdempotentInstruction(stranger.publicKey, plan.tokenAccount, plan.address, chain.mint));
    chain.setTokens(plan.tokenAccount, { amount: 5n });
    chain.run(plan.create());
    expect(plan.errorOf({ amount: 5n })).toBe('none');
  });

  it('create_account accepts addresses that received lamports before', () => {
    const plan = aPlan(chain);
    for (const toPubkey of [plan.address, plan.policy, plan.tokenAccount]) {
      chain.run(SystemProgram.transfer({ fromPubkey: chain.feePayer.publicKey, toPubkey, lamports: 1_000_000 }));
    }
    chain.run(plan.create());
    expect(plan.readPolicy().version).toBe(1n);
  });

  it('create_account lets two creators use the same id', () => {
    const [one, other] = [anAccount(chain, { id: idOf(7) }), anAccount(chain, { id: idOf(7), creator: chain.aKey() })];
    expect(one.address).not.toEqual(other.address);
  });
});
