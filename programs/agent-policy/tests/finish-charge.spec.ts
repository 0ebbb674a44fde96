/** `finish_charge`, and pausing while a charge is open: counts what the delegate moved and revokes the rest. */
import { createRevokeInstruction } from '@solana/spl-token';
import type { PublicKey } from '@solana/web3.js';
import { anAccount, type TestAccount } from './support/account';
import { idOf } from './support/account-instructions';
import { START, aChain, unsigned, type Key, type TestChain } from './support/chain';

const DAY = 86_400;
const LIFE = 600;

describe('finish_charge', () => {
  let chain: TestChain;
  let account: TestAccount;
  let delegate: Key;

  beforeEach(() => {
    chain = aChain();
    account = anAccount(chain);
    delegate = open();
  });

  /** Approves 100 micro-USDC for a new key. */
  function open(): Key {
    const key = chain.aKey();
    account.seq += 1n;
    chain.run(account.approveCharge({ seq: account.seq, delegate: key.publicKey, expiresInSeconds: LIFE }));
    return key;
  }

  const use = (amount: bigint, key = delegate): string => chain.errorOf(account.useCharge(key.publicKey, amount));
  const books = () => {
    const { reserved, window } = account.read();
    return { reserved, spent: (window as { spent: bigint }).spent };
  };

  it.each([0n, 60n, 100n])('finish_charge counts the %s that the delegate moved, releases the rest and revokes the delegation', (used) => {
    if (used > 0n) expect(use(used)).toBe('none');
    const { events } = chain.run(account.finishCharge());
    expect(books()).toEqual({ reserved: 0n, spent: used });
    expect(events).toEqual([
      {
        name: 'ChargeFinished',
        data: {
          account: account.address.toBase58(),
          charge_id: idOf(1).toString('hex'),
          seq: 1n,
          amount: 100n,
          spent: used,
          exact: used < 100n,
        },
      },
    ]);
    expect(use(1n)).not.toBe('none');
    expect(account.balance()).toBe(1_000n - used);
  });

  it('finish_charge fails for a finished charge and never finishes the next one', () => {
    chain.run(account.finishCharge(1n));
    expect(chain.errorOf(account.finishCharge(1n))).toBe('ChargeNotOpen');
    const next = open();
    expect(chain.errorOf(account.finishCharge(1n))).toBe('ChargeNotOpen');
    expect(use(100n, next)).toBe('none');
  });

  describe('finish_charge before the deadline', () => {
    it.each<[string, () => PublicKey, string]>([
      ['the authority', () => account.authority.publicKey, 'none'],
      ['the operator', () => account.operator.publicKey, 'none'],
      ['the delegate', () => delegate.publicKey, 'ChargeInUse'],
      ['the fee payer', () => chain.feePayer.publicKey, 'ChargeInUse'],
      ['another account’s authority', () => anAccount(chain).authority.publicKey, 'ChargeInUse'],
    ])('finish_charge by %s before the deadline: %s', (_who, closer, expected) => {
      chain.setTime(START + LIFE - 1);
      expect(chain.errorOf(account.finishCharge(1n, { closer: closer() }))).toBe(expected);
    });

    it('finish_charge rejects the authority when it is named and does not sign', () => {
      const { publicKey } = account.authority;
      expect(chain.errorOf(unsigned(account.finishCharge(), publicKey))).toBe('AccountNotSigner');
    });
  });

  it('finish_charge is permissionless from the deadline on', () => {
    use(60n);
    chain.setTime(START + LIFE);
    expect(chain.errorOf(account.finishCharge(1n, { closer: chain.aKey().publicKey }))).toBe('none');
    expect(books()).toEqual({ reserved: 0n, spent: 60n });
  });

  it.each<[string, () => PublicKey]>([
    ['another account’s token account', () => anAccount(chain).tokenAccount],
    ['the payee’s token account', () => account.payee],
    ['another token account of the same owner', () => chain.aTokenAccount({ owner: account.address, amount: 5n })],
  ])('finish_charge rejects %s', (_what, token_account) => {
    expect(chain.errorOf(account.finishCharge(1n, { token_account: token_account() }))).toBe('WrongTokenAccount');
  });

  it('finish_charge counts the whole amount as an upper bound when the delegate revoked itself', () => {
    expect(use(60n)).toBe('none');
    chain.run(createRevokeInstruction(account.tokenAccount, delegate.publicKey));
    expect(chain.run(account.finishCharge()).events).toMatchObject([{ name: 'ChargeFinished', data: { spent: 100n, exact: false } }]);
    expect(books()).toEqual({ reserved: 0n, spent: 100n });
  });

  it('finish_charge fails while the token account is frozen and works once it is thawed', () => {
    chain.run(chain.freeze(account.tokenAccount));
    expect(chain.errorOf(account.finishCharge())).toBe('SourceFrozen');
    chain.run(chain.thaw(account.tokenAccount));
    expect(chain.errorOf(account.finishCharge())).toBe('none');
  });

  describe('attacks with a charge', () => {
    beforeEach(() => account.change({ maxDailySpend: 100n }));

    it('a charge that is spent days after its approval still counts against the limit on the day it is spent', () => {
      chain.setTime(START + 3 * DAY); // An entry made at the approval would have been released by now.
      expect(account.errorOf({ amount: 1n })).toBe('MaxDailySpend');
      expect(use(100n)).toBe('none');
      expect(account.errorOf({ amount: 1n })).toBe('MaxDailySpend');
      chain.run(account.finishCharge(1n));
      chain.setTime(START + 4 * DAY);
      expect(account.errorOf({ amount: 1n })).toBe('MaxDailySpend');
      chain.setTime(START + 4 * DAY + 900);
      expect(account.errorOf({ amount: 100n })).toBe('none');
    });

    it('a transaction of a finished charge’s delegate cannot use the next charge’s allowance', () => {
      chain.run(account.finishCharge(1n));
      const next = open();
      expect(use(100n, delegate)).not.toBe('none');
      expect(use(100n, next)).toBe('none');
      expect(chain.balance(account.payee)).toBe(100n);
    });

    it('a charge that is spent and finished in one transaction counts against the limit', () => {
      chain.run(account.useCharge(delegate.publicKey, 100n), account.finishCharge(1n));
      expect(books()).toEqual({ reserved: 0n, spent: 100n });
    });

    it('repeated charges that are approved, spent and finished never exceed the limit', () => {
      for (let round = 0; round < 3; round++) {
        const key = chain.aKey();
        chain.send(
          account.finishCharge(),
          account.approveCharge({ seq: account.seq + 1n, delegate: key.publicKey }),
          account.useCharge(key.publicKey, 100n),
        );
      }
      use(100n);
      expect(chain.balance(account.payee)).toBeLessThanOrEqual(100n);
    });
  });

  describe('pausing while a charge is open', () => {
    const pause = (accounts = {}) => chain.send(account.setPolicy({ paused: true }, { accounts }));

    it('set_policy that pauses ends the open charge and counts what the delegate moved', () => {
      use(60n);
      const { events, error } = pause();
      expect(error).toBeUndefined();
      expect(events).toMatchObject([
        { name: 'ChargeFinished', data: { spent: 60n } },
        { name: 'PolicyChanged', data: { paused: true } },
      ]);
      expect(use(1n)).not.toBe('none');
      expect(books()).toEqual({ reserved: 0n, spent: 60n });
      expect(chain.errorOf(account.finishCharge(1n))).toBe('ChargeNotOpen');
    });

    it('set_policy that pauses requires the token account and its program while a charge is open', () => {
      expect(pause({ token_account: undefined }).error).toBe('ChargeOpen');
      const without = account.setPolicy({ paused: true });
      without.keys.at(-2)!.pubkey = without.programId;
      expect(chain.errorOf(without)).toBe('ChargeOpen');
      expect(account.readPolicy().paused).toBe(false);
    });

    it('set_policy that pauses rejects another token account', () => {
      expect(pause({ token_account: account.payee }).error).toBe('WrongTokenAccount');
    });

    it('set_policy that pauses needs no token account when no charge is open', () => {
      chain.run(account.finishCharge());
      expect(pause({ token_account: undefined }).error).toBeUndefined();
    });

    it('set_policy ends the open charge when it pauses among other changes, and keeps it when it does not pause', () => {
      chain.run(account.setPolicy({ maxDailySpend: 500n }));
      expect(use(10n)).toBe('none');
      chain.run(account.setPolicy({ paused: true, maxDailySpend: 400n }));
      expect(use(10n)).not.toBe('none');
    });

    it('set_policy pauses while the token account is frozen, and anyone may finish the charge in the transaction that thaws it', () => {
      chain.run(chain.freeze(account.tokenAccount));
      expect(pause().error).toBeUndefined();
      expect(books()).toEqual({ reserved: 100n, spent: 0n });
      const stranger = chain.aKey().publicKey;
      chain.run(chain.thaw(account.tokenAccount), account.finishCharge(1n, { closer: stranger }));
      expect(use(1n)).not.toBe('none');
      expect(books()).toEqual({ reserved: 0n, spent: 0n });
    });

    it('the token program rejects a revocation on a frozen token account, by the owner and by the delegate', () => {
      chain.run(chain.freeze(account.tokenAccount));
      expect(chain.errorOf(createRevokeInstruction(account.tokenAccount, delegate.publicKey))).toBe('Custom(17)'); // AccountFrozen
      expect(chain.errorOf(account.finishCharge())).toBe('SourceFrozen');
      expect(use(1n)).toBe('Custom(17)');
    });

    it('set_policy that pauses keeps the deadline of a charge that ended sooner', () => {
      chain.setTime(START + LIFE + 5);
      chain.run(chain.freeze(account.tokenAccount), account.setPolicy({ paused: true }));
      expect((account.read().charge as { deadline: bigint }).deadline).toBe(BigInt(START + LIFE));
    });

    it('set_policy that pauses rejects a thief, with a charge open or not', () => {
      expect(pause({ operator: account.authority.publicKey }).error).toBe('WrongOperator');
    });
  });

  describe('rotate_authority while a charge is open', () => {
    const rotate = (accounts = {}) => chain.send(account.rotateAuthority(chain.aKey().publicKey, accounts));

    it('rotate_authority ends the open charge and counts what its delegate moved', () => {
      use(60n);
      expect(rotate().events).toMatchObject([{ name: 'ChargeFinished', data: { spent: 60n, exact: true } }, { name: 'AuthorityRotated' }]);
      expect(use(1n)).not.toBe('none');
      expect(books()).toEqual({ reserved: 0n, spent: 60n });
    });

    it('rotate_authority requires the token account while a charge is open', () => {
      expect(rotate({ token_account: undefined }).error).toBe('ChargeOpen');
      chain.run(account.finishCharge());
      expect(rotate({ token_account: undefined }).error).toBeUndefined();
    });

    it('rotate_authority works while the token account is frozen, and anyone may finish the charge afterwards', () => {
      const stranger = chain.aKey().publicKey;
      chain.run(chain.freeze(account.tokenAccount));
      expect(rotate().error).toBeUndefined();
      chain.run(chain.thaw(account.tokenAccount), account.finishCharge(1n, { closer: stranger }));
      expect(use(1n)).not.toBe('none');
    });
  });
});
