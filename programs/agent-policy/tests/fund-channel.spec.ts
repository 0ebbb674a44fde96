/** `fund_channel`: an amount that the policy allowed moves to a one-time key, whose token account the purse may sweep and close. */
import { createApproveInstruction, createSetAuthorityInstruction, AuthorityType } from '@solana/spl-token';
import { ComputeBudgetProgram, Keypair, type PublicKey } from '@solana/web3.js';
import { COMPUTE_UNITS } from '../../../libs/chain/src/program/compute-units';
import { anAccount, someAddresses, type TestAccount } from './support/account';
import { idOf } from './support/account-instructions';
import { CHANNEL_PURSE_SPACE, HOUR, TestChannelPurse, aChannelPurse } from './support/channel';
import { START, aChain, type TestChain } from './support/chain';
import { aFleet } from './support/fleet';

const EIGHT_DAYS = 8 * 86_400;

describe('fund_channel', () => {
  let chain: TestChain;
  let account: TestAccount;

  beforeEach(() => {
    chain = aChain();
    account = anAccount(chain);
  });

  const errorOf = (...funding: Parameters<TestChannelPurse['fund']>): string =>
    chain.errorOf(...new TestChannelPurse(account).fund(...funding));

  it('fund_channel moves the amount to the key, reserves it and stores the purse', () => {
    const purse = new TestChannelPurse(account);
    const { events } = chain.run(...purse.fund({ category: 'inference' }));
    expect({ home: account.balance(), key: purse.balance() }).toEqual({ home: 900n, key: 100n });
    expect(account.read()).toMatchObject({ reserved: 100n, channel_purses: 1, window: { spent: 0n } });
    expect(chain.account(purse.address).data).toHaveLength(CHANNEL_PURSE_SPACE);
    expect(purse.read()).toMatchObject({
      amount: 100n,
      swept: 0n,
      finished: 0,
      seq: 1n,
      deadline: BigInt(START + HOUR),
      id: idOf(1).toString('hex'),
    });
    const keys = { purse: purse.address.toBase58(), key: purse.key.publicKey.toBase58(), key_token_account: purse.tokenAccount.toBase58() };
    expect(events).toMatchObject([
      { name: 'ChannelFunded', data: { ...keys, account: account.address.toBase58(), amount: 100n, approved: false } },
    ]);
  });

  it('fund_channel uses up its nonce', () => {
    aChannelPurse(account);
    expect(chain.errorOf(...new TestChannelPurse(account, 1n).fund())).not.toBe('none');
    expect(account.errorOf({ seq: 1n })).toBe('AlreadyExecuted');
  });

  it('fund_channel opens several purses beside a charge', () => {
    chain.run(account.approveCharge({ seq: 9n }));
    for (const seq of [1n, 2n, 3n]) chain.run(...new TestChannelPurse(account, seq).fund());
    expect(account.read()).toMatchObject({ reserved: 400n, channel_purses: 3 });
  });

  describe.each<[string, Parameters<TestAccount['change']>[0], string]>([
    ['max_single_transfer', { maxSingleTransfer: 100n }, 'MaxSingleTransfer'],
    ['max_session_cap', { maxSessionCap: 100n }, 'MaxSessionCap'],
    ['max_daily_spend', { maxDailySpend: 100n }, 'MaxDailySpend'],
    ['max_monthly_spend', { maxMonthlySpend: 100n }, 'MaxMonthlySpend'],
    ['max_lifetime_spend', { maxLifetimeSpend: 100n }, 'MaxLifetimeSpend'],
  ])('under a limit', (rule, policy, error) => {
    it(`fund_channel is held to ${rule}: one above it fails, at it passes`, () => {
      account.change(policy);
      expect(errorOf({ microUsdc: 101n })).toBe(error);
      expect(errorOf({ microUsdc: 100n })).toBe('none');
    });

    it(`fund_channel of a member is held to ${rule} of its fleet: one above it fails, at it passes`, () => {
      account = aFleet(chain, { policy }).aMember();
      expect(errorOf({ microUsdc: 101n })).toBe(`Fleet${error}`);
      expect(errorOf({ microUsdc: 100n })).toBe('none');
    });
  });

  it('what a purse holds counts against the limit until it is finished, and nothing else is spent beside it', () => {
    account.change({ maxDailySpend: 150n });
    aChannelPurse(account);
    expect(account.errorOf({ amount: 51n })).toBe('MaxDailySpend');
    expect(errorOf({ microUsdc: 51n })).toBe('MaxDailySpend');
    expect(account.errorOf({ amount: 50n })).toBe('none');
  });

  it('fund_channel of a member counts in the fleet’s limits, which bind another member', () => {
    const fleet = aFleet(chain, { limits: { daily: 150n } });
    account = fleet.aMember();
    aChannelPurse(account);
    account = fleet.aMember();
    expect(errorOf({ microUsdc: 51n })).toBe('FleetLimitsMaxDailySpend');
    expect(errorOf({ microUsdc: 50n })).toBe('none');
  });

  it.each<[string, Parameters<TestAccount['change']>[0], string]>([
    ['a paused account', { paused: true }, 'Paused'],
    ['listed counterparties', { allowedCounterparties: someAddresses(1) }, 'AllowedCounterparties'],
    ['another category', { categories: ['search'] }, 'Categories'],
    ['a policy that ends before', { validUntil: new Date((START + HOUR) * 1000 - 1000) }, 'ValidUntil'],
    ['the threshold without the operator', { escalationThreshold: 100n }, 'EscalationThreshold'],
  ])('fund_channel fails with %s', (_what, policy, error) => {
    account.change(policy);
    expect(errorOf({ category: 'inference' })).toBe(error);
  });

  it('fund_channel at the threshold passes with the operator’s signature', () => {
    account.change({ escalationThreshold: 100n });
    expect(errorOf({ approved: true })).toBe('none');
  });

  it.each([
    ['no amount', { microUsdc: 0n }, 'AmountZero'],
    ['more than the balance', { microUsdc: 1_001n }, 'InsufficientBalance'],
    ['no duration', { expiresInSeconds: 0 }, 'ChannelDurationInvalid'],
    ['more than 8 days', { expiresInSeconds: EIGHT_DAYS + 1 }, 'ChannelDurationInvalid'],
    ['8 days', { expiresInSeconds: EIGHT_DAYS }, 'none'],
    ['all that there is', { microUsdc: 1_000n }, 'none'],
  ])('fund_channel with %s', (_what, order, error) => {
    expect(errorOf(order)).toBe(error);
  });

  it('fund_channel with every account and signature, under a price, fits into a transaction', () => {
    const [member, payer] = [aFleet(chain).aMember(), chain.aKey()];
    const budget = [
      ComputeBudgetProgram.setComputeUnitLimit({ units: COMPUTE_UNITS.fundChannel }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 }),
    ];
    const funding = (account: TestAccount, approved: boolean) =>
      new TestChannelPurse(account).fund({ approved, category: 'inference' }, {}, payer.publicKey);
    expect(chain.sendAs(payer, ...budget, ...funding(account, false))).toMatchObject({ error: undefined, bytes: 859 });
    expect(chain.sendAs(payer, ...budget, ...funding(member, true))).toMatchObject({ error: undefined, bytes: 1_019 });
  });

  describe('the key', () => {
    it.each<[string, () => TestChannelPurse['key']]>([
      ['the authority', () => account.authority],
      ['the operator', () => account.operator],
      ['the creator', () => account.creator],
    ])('fund_channel rejects %s as the key', (_who, role) => {
      expect(chain.errorOf(...new TestChannelPurse(account, 1n, role()).fund())).toBe('KeysNotDistinct');
    });

    it('fund_channel rejects the delegate of the open charge, and the payer of the rent', () => {
      const [delegate, payer] = [chain.aKey(), chain.aKey()];
      chain.run(account.approveCharge({ seq: 9n, delegate: delegate.publicKey }));
      expect(chain.errorOf(...new TestChannelPurse(account, 1n, delegate).fund())).toBe('KeysNotDistinct');
      expect(chain.errorOf(...new TestChannelPurse(account, 1n, payer).fund({}, {}, payer.publicKey))).toBe('KeysNotDistinct');
    });

    it('fund_channel rejects the authority as the payer of the rent', () => {
      expect(errorOf({}, {}, account.authority.publicKey)).toBe('KeysNotDistinct');
    });
  });

  describe('the key’s token account', () => {
    const without = (...left: number[]): string => {
      const funding = new TestChannelPurse(account).fund();
      return chain.errorOf(...funding.filter((_one, index) => !left.includes(index)));
    };

    it('fund_channel rejects one that does not exist, has no delegate or no close authority', () => {
      expect(without(0, 1, 2)).not.toBe('none');
      expect(without(1)).toBe('WrongKeyTokenAccount');
      expect(without(2)).toBe('WrongKeyTokenAccount');
    });

    it('fund_channel rejects one whose delegate has less than everything, is another, or was revoked', () => {
      const attempt = (delegate: (purse: TestChannelPurse) => PublicKey, allowance: bigint): string => {
        const purse = new TestChannelPurse(account);
        const [create, , close, fund] = purse.fund() as [never, never, never, never];
        const approve = createApproveInstruction(purse.tokenAccount, delegate(purse), purse.key.publicKey, allowance);
        return chain.errorOf(create, approve, close, fund);
      };
      expect(attempt(({ address }) => address, 2n ** 64n - 2n)).toBe('WrongKeyTokenAccount');
      expect(attempt(() => account.address, 2n ** 64n - 1n)).toBe('WrongKeyTokenAccount');
    });

    it('fund_channel rejects one that the key handed over', () => {
      const purse = new TestChannelPurse(account);
      const [create, approve, close, fund] = purse.fund() as [never, never, never, never];
      const { publicKey } = Keypair.generate();
      const handOver = createSetAuthorityInstruction(purse.tokenAccount, purse.key.publicKey, AuthorityType.AccountOwner, publicKey);
      expect(chain.errorOf(create, approve, close, handOver, fund)).toBe('WrongKeyTokenAccount');
    });

    it('fund_channel rejects another than the associated one', () => {
      const purse = new TestChannelPurse(account);
      const other = chain.aTokenAccount({ owner: purse.key.publicKey });
      expect(chain.errorOf(...purse.fund({}, { key_token_account: other }))).toBe('WrongKeyTokenAccount');
    });

    it('fund_channel rejects an address that is another purse’s', () => {
      const other = new TestChannelPurse(account, 7n);
      expect(errorOf({}, { purse: other.address })).toBe('WrongChannelPurse');
    });
  });
});
