/** `finish_charge`, and pausing with a charge open: what was used is counted then, and its key moves nothing any more. */
import { createFreezeAccountInstruction, createRevokeInstruction, createThawAccountInstruction } from '@solana/spl-token';
import type { PublicKey } from '@solana/web3.js';
import { anAccount, idOf, type TestAccount } from './support/account';
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

  /** Approves 100 micro-USDC for a fresh key. */
  function open(): Key {
    const key = chain.aKey();
    account.seq += 1n;
    chain.run(account.approveCharge({ seq: account.seq, delegate: key.publicKey, expiresInSeconds: LIFE }));
    return key;
  }

  const use = (amount: bigint, key = delegate): string => chain.refusal(account.useCharge(key.publicKey, amount));
  const books = () => {
    const { reserved, window } = account.read();
    return { reserved, spent: (window as { spent: bigint }).spent };
  };

  it.each([0n, 60n, 100n])('finish_charge counts the %s that the delegate moved, frees the rest and revokes', (used) => {
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

  it('is refused a second time, and never ends the next charge', () => {
    chain.run(account.finishCharge(1n));
    expect(chain.refusal(account.finishCharge(1n))).toBe('ChargeNotOpen');
    const next = open();
    expect(chain.refusal(account.finishCharge(1n))).toBe('ChargeNotOpen');
    expect(use(100n, next)).toBe('none');
  });

  describe('before the deadline', () => {
    it.each<[string, () => PublicKey, string]>([
      ['the authority', () => account.authority.publicKey, 'none'],
      ['the operator', () => account.operator.publicKey, 'none'],
      ['the delegate', () => delegate.publicKey, 'ChargeInUse'],
      ['the fee payer', () => chain.feePayer.publicKey, 'ChargeInUse'],
      ["another account's authority", () => anAccount(chain).authority.publicKey, 'ChargeInUse'],
    ])('%s: %s', (_who, closer, expected) => {
      chain.setTime(START + LIFE - 1);
      expect(chain.refusal(account.finishCharge(1n, { closer: closer() }))).toBe(expected);
    });

    it('is refused to the authority named but not signing', () => {
      const { publicKey } = account.authority;
      expect(chain.refusal(unsigned(account.finishCharge(), publicKey))).toBe('AccountNotSigner');
    });
  });

  it('is anybody’s from the deadline on', () => {
    use(60n);
    chain.setTime(START + LIFE);
    expect(chain.refusal(account.finishCharge(1n, { closer: chain.aKey().publicKey }))).toBe('none');
    expect(books()).toEqual({ reserved: 0n, spent: 60n });
  });

  it.each<[string, () => PublicKey]>([
    ["another account's token account", () => anAccount(chain).tokenAccount],
    ["the payee's token account", () => account.payee],
    ['another token account of the same owner', () => chain.aTokenAccount({ owner: account.address, amount: 5n })],
  ])('refuses %s', (_what, token_account) => {
    expect(chain.refusal(account.finishCharge(1n, { token_account: token_account() }))).toBe('WrongTokenAccount');
  });

  it('finish_charge counts the whole amount as an upper bound when the delegate revoked itself', () => {
    expect(use(60n)).toBe('none');
    chain.run(createRevokeInstruction(account.tokenAccount, delegate.publicKey));
    expect(chain.run(account.finishCharge()).events).toMatchObject([{ name: 'ChargeFinished', data: { spent: 100n, exact: false } }]);
    expect(books()).toEqual({ reserved: 0n, spent: 100n });
  });

  it('waits while the token account is frozen', () => {
    chain.run(createFreezeAccountInstruction(account.tokenAccount, chain.mint, chain.freezeAuthority.publicKey));
    expect(chain.refusal(account.finishCharge())).toBe('SourceFrozen');
    chain.run(createThawAccountInstruction(account.tokenAccount, chain.mint, chain.freezeAuthority.publicKey));
    expect(chain.refusal(account.finishCharge())).toBe('none');
  });

  describe('attacks', () => {
    beforeEach(() => account.change({ maxDailySpend: 100n }));

    it('a charge approved, left open for days and used then, still holds the limit when it is used', () => {
      chain.setTime(START + 3 * DAY); // a booking at approval would have been released by now
      expect(account.refusal({ amount: 1n })).toBe('MaxDailySpend');
      expect(use(100n)).toBe('none');
      expect(account.refusal({ amount: 1n })).toBe('MaxDailySpend');
      chain.run(account.finishCharge(1n));
      chain.setTime(START + 4 * DAY);
      expect(account.refusal({ amount: 1n })).toBe('MaxDailySpend');
      chain.setTime(START + 4 * DAY + 900);
      expect(account.refusal({ amount: 100n })).toBe('none');
    });

    it('a late provider’s transaction does not meet the next charge’s allowance', () => {
      chain.run(account.finishCharge(1n));
      const next = open();
      expect(use(100n, delegate)).not.toBe('none');
      expect(use(100n, next)).toBe('none');
      expect(chain.balance(account.payee)).toBe(100n);
    });

    it('used and finished in one transaction, it counts all the same', () => {
      chain.run(account.useCharge(delegate.publicKey, 100n), account.finishCharge(1n));
      expect(books()).toEqual({ reserved: 0n, spent: 100n });
    });

    it('approved, used and finished over and over, it never lets more out than the limit', () => {
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

  describe('pausing', () => {
    const pause = (accounts = {}) => chain.send(account.setPolicy({ paused: true }, { accounts }));

    it('stops the open charge in the same instruction, and counts what was used', () => {
      use(60n);
      const { events, refusal } = pause();
      expect(refusal).toBeUndefined();
      expect(events).toMatchObject([
        { name: 'ChargeFinished', data: { spent: 60n } },
        { name: 'PolicyChanged', data: { paused: true } },
      ]);
      expect(use(1n)).not.toBe('none');
      expect(books()).toEqual({ reserved: 0n, spent: 60n });
      expect(chain.refusal(account.finishCharge(1n))).toBe('ChargeNotOpen');
    });

    it('needs the token account and its program then', () => {
      expect(pause({ token_account: undefined }).refusal).toBe('ChargeOpen');
      const without = account.setPolicy({ paused: true });
      without.keys[without.keys.length - 1]!.pubkey = without.programId;
      expect(chain.refusal(without)).toBe('ChargeOpen');
      expect(account.readPolicy().paused).toBe(false);
    });

    it('takes no other token account', () => {
      expect(pause({ token_account: account.payee }).refusal).toBe('WrongTokenAccount');
    });

    it('needs neither where no charge is open', () => {
      chain.run(account.finishCharge());
      expect(pause({ token_account: undefined }).refusal).toBeUndefined();
    });

    it('with other changes stops it too, and a change that does not pause leaves it alone', () => {
      chain.run(account.setPolicy({ maxDailySpend: 500n }));
      expect(use(10n)).toBe('none');
      chain.run(account.setPolicy({ paused: true, maxDailySpend: 400n }));
      expect(use(10n)).not.toBe('none');
    });

    it('succeeds while the token account is frozen, and anybody may finish the charge in the transaction that thaws it', () => {
      chain.run(createFreezeAccountInstruction(account.tokenAccount, chain.mint, chain.freezeAuthority.publicKey));
      expect(pause().refusal).toBeUndefined();
      expect(books()).toEqual({ reserved: 100n, spent: 0n });
      const stranger = chain.aKey().publicKey;
      chain.run(
        createThawAccountInstruction(account.tokenAccount, chain.mint, chain.freezeAuthority.publicKey),
        account.finishCharge(1n, { closer: stranger }),
      );
      expect(use(1n)).not.toBe('none');
      expect(books()).toEqual({ reserved: 0n, spent: 0n });
    });

    it('cannot revoke while the token account is frozen: the token program refuses it to the owner and to the delegate', () => {
      chain.run(createFreezeAccountInstruction(account.tokenAccount, chain.mint, chain.freezeAuthority.publicKey));
      expect(chain.refusal(createRevokeInstruction(account.tokenAccount, delegate.publicKey))).toBe('Custom(17)'); // AccountFrozen
      expect(chain.refusal(account.finishCharge())).toBe('SourceFrozen');
      expect(use(1n)).toBe('Custom(17)');
    });

    it('keeps the deadline of a charge that ended sooner', () => {
      chain.setTime(START + LIFE + 5);
      chain.run(
        createFreezeAccountInstruction(account.tokenAccount, chain.mint, chain.freezeAuthority.publicKey),
        account.setPolicy({ paused: true }),
      );
      expect((account.read().charge as { deadline: bigint }).deadline).toBe(BigInt(START + LIFE));
    });

    it('is refused to a thief as ever, charge or not', () => {
      expect(pause({ operator: account.authority.publicKey }).refusal).toBe('WrongOperator');
    });
  });

  describe('rotate_authority', () => {
    const rotate = (accounts = {}) => chain.send(account.rotateAuthority(chain.aKey().publicKey, accounts));

    it('ends the open charge and counts what its delegate moved', () => {
      use(60n);
      expect(rotate().events).toMatchObject([{ name: 'ChargeFinished', data: { spent: 60n, exact: true } }, { name: 'AuthorityRotated' }]);
      expect(use(1n)).not.toBe('none');
      expect(books()).toEqual({ reserved: 0n, spent: 60n });
    });

    it('refuses to leave the token account out while a charge is open', () => {
      expect(rotate({ token_account: undefined }).refusal).toBe('ChargeOpen');
      chain.run(account.finishCharge());
      expect(rotate({ token_account: undefined }).refusal).toBeUndefined();
    });

    it('succeeds while the token account is frozen, and anybody may finish the charge afterwards', () => {
      const stranger = chain.aKey().publicKey;
      chain.run(createFreezeAccountInstruction(account.tokenAccount, chain.mint, chain.freezeAuthority.publicKey));
      expect(rotate().refusal).toBeUndefined();
      chain.run(
        createThawAccountInstruction(account.tokenAccount, chain.mint, chain.freezeAuthority.publicKey),
        account.finishCharge(1n, { closer: stranger }),
      );
      expect(use(1n)).not.toBe('none');
    });
  });
});
