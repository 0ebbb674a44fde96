/** `sweep_channel`, `finish_channel`, `close_channel`: what comes home, what counts as spent, and where a channel's rest goes. */
import {
  AuthorityType,
  createRevokeInstruction,
  createSetAuthorityInstruction,
  createTransferCheckedInstruction,
  createCloseAccountInstruction,
} from '@solana/spl-token';
import type { PublicKey } from '@solana/web3.js';
import { distributeChannel, requestClose, sealChannel, TREASURY } from '../../../libs/chain/src/channels/payment-channels';
import { anAccount, type TestAccount } from './support/account';
import { HOUR, TestChannel, TestChannelPurse, aChannelPurse, tokenAccountOf, withPaymentChannels } from './support/channel';
import { DECIMALS, START, aChain, unsigned, type TestChain } from './support/chain';
import { aFleet } from './support/fleet';

describe('channel purses', () => {
  let chain: TestChain;
  let account: TestAccount;
  let purse: TestChannelPurse;

  beforeEach(() => {
    chain = withPaymentChannels(aChain());
    account = anAccount(chain);
    purse = aChannelPurse(account);
  });

  const books = () => {
    const { reserved, window } = account.read();
    return { reserved, spent: (window as { spent: bigint }).spent, home: account.balance() };
  };
  const pay = (amount: bigint, to = account.payee): string =>
    chain.errorOf(createTransferCheckedInstruction(purse.tokenAccount, chain.mint, to, purse.key.publicKey, amount, DECIMALS));
  const sendBack = (amount: bigint): void => chain.setTokens(purse.tokenAccount, { amount: purse.balance() + amount });

  it('sweep_channel moves home what lies there, again and again, and releases nothing', () => {
    expect(pay(30n)).toBe('none');
    const { events } = chain.run(purse.sweep());
    expect(events).toMatchObject([{ name: 'ChannelSwept', data: { amount: 70n, swept: 70n, purse: purse.address.toBase58() } }]);
    expect(books()).toEqual({ reserved: 100n, spent: 0n, home: 970n });
    sendBack(20n);
    chain.run(purse.sweep());
    chain.run(purse.sweep());
    expect(purse.read()).toMatchObject({ swept: 90n, finished: 0 });
  });

  it.each([0n, 60n, 100n])('finish_channel counts the %s that did not come home as spent and releases the rest', (used) => {
    if (used > 0n) expect(pay(used)).toBe('none');
    const { events } = chain.run(purse.finish());
    expect(books()).toEqual({ reserved: 0n, spent: used, home: 1_000n - used });
    expect(events.find(({ name }) => name === 'ChannelFinished')?.data).toMatchObject({ amount: 100n, spent: used, seq: 1n });
  });

  it('a refund after finish_channel comes home and restores no limit', () => {
    pay(60n);
    chain.run(purse.finish());
    sendBack(60n);
    chain.run(purse.sweep());
    expect(books()).toEqual({ reserved: 0n, spent: 60n, home: 1_000n });
  });

  it('money that others send to the key comes home and releases no more than was reserved', () => {
    sendBack(50n);
    chain.run(purse.finish());
    expect(books()).toEqual({ reserved: 0n, spent: 0n, home: 1_050n });
  });

  it('finish_channel of a member counts in its fleet too', () => {
    const fleet = aFleet(chain, { limits: { daily: 100n } });
    account = fleet.aMember();
    purse = aChannelPurse(account);
    pay(60n);
    chain.run(purse.finish());
    expect(fleet.aMember().errorOf({ amount: 41n })).toBe('FleetLimitsMaxDailySpend');
    expect(fleet.aMember().errorOf({ amount: 40n })).toBe('none');
    expect(chain.errorOf(purse.close())).toBe('none');
  });

  it('close_channel of an open purse finishes it, with the events of both, and releases what was not spent', () => {
    pay(60n);
    const { events } = chain.run(purse.close());
    expect(events).toMatchObject([
      { name: 'ChannelFinished', data: { amount: 100n, spent: 60n } },
      { name: 'ChannelSwept', data: { amount: 40n, swept: 40n } },
      { name: 'ChannelClosed', data: { swept: 40n } },
    ]);
    expect(books()).toEqual({ reserved: 0n, spent: 60n, home: 940n });
  });

  it('finish_channel fails for a finished purse', () => {
    chain.run(purse.finish());
    expect(chain.errorOf(purse.finish())).toBe('ChannelNotOpen');
  });

  it('a paused account’s purse is swept, finished and closed at once', () => {
    account.change({ paused: true });
    expect(chain.errorOf(purse.finish())).toBe('none');
    expect(chain.errorOf(purse.close())).toBe('none');
  });

  it('close_channel returns the rent of both accounts, and only then the account can be closed', () => {
    const { publicKey: payer } = chain.feePayer;
    chain.run(purse.finish());
    expect(chain.errorOf(account.close({ destination: account.payee }))).toBe('AccountInUse');
    const before = chain.lamports(payer);
    const rents = chain.lamports(purse.address) + chain.lamports(purse.tokenAccount);
    const { events } = chain.run(purse.close());
    expect(events).toMatchObject([{ name: 'ChannelClosed', data: { swept: 100n } }]);
    expect(chain.lamports(payer) - before).toBeGreaterThan(rents - 20_000n);
    expect([purse.address, purse.tokenAccount].map((each) => chain.exists(each))).toEqual([false, false]);
    expect(chain.errorOf(account.close({ destination: account.payee }))).toBe('none');
  });

  describe('who may', () => {
    const WHO: [string, () => PublicKey, boolean][] = [
      ['the authority', () => account.authority.publicKey, true],
      ['the operator', () => account.operator.publicKey, true],
      ['the key', () => purse.key.publicKey, false],
      ['the fee payer', () => chain.feePayer.publicKey, false],
      ['another account’s authority', () => anAccount(chain).authority.publicKey, false],
    ];

    it.each(WHO)('sweep_channel and finish_channel by %s one second before the deadline', (_who, closer, may) => {
      chain.setTime(START + HOUR - 1);
      const expected = may ? 'none' : 'ChannelInUse';
      expect(chain.errorOf(purse.sweep({ closer: closer() }))).toBe(expected);
      expect(chain.errorOf(purse.finish({ closer: closer() }))).toBe(expected);
    });

    it('anyone sweeps and finishes from the deadline on', () => {
      chain.setTime(START + HOUR);
      const closer = chain.aKey().publicKey;
      expect(chain.errorOf(purse.sweep({ closer }))).toBe('none');
      expect(chain.errorOf(purse.finish({ closer }))).toBe('none');
    });

    it.each(WHO)('close_channel by %s, long after the deadline', (_who, closer, may) => {
      chain.run(purse.finish());
      chain.setTime(START + 1_000 * HOUR);
      expect(chain.errorOf(purse.close({ closer: closer() }))).toBe(may ? 'none' : 'ChannelInUse');
    });

    it.each(['sweep', 'finish', 'close'] as const)('%s rejects the authority when it is named and does not sign', (name) => {
      expect(chain.errorOf(unsigned(purse[name](), account.authority.publicKey))).toBe('AccountNotSigner');
    });
  });

  it.each(['sweep', 'finish', 'close'] as const)('%s rejects accounts of others', (name) => {
    const other = aChannelPurse(anAccount(chain));
    if (name === 'close') for (const one of [purse, other]) chain.run(one.finish());
    expect(chain.errorOf(purse[name]({ purse: other.address }))).toBe('WrongChannelPurse');
    expect(chain.errorOf(purse[name]({ key_token_account: other.tokenAccount }))).toBe('WrongKeyTokenAccount');
    expect(chain.errorOf(purse[name]({ token_account: other.account.tokenAccount }))).toBe('WrongTokenAccount');
    expect(chain.errorOf(purse[name]({ mint: chain.aMint() }))).toBe('WrongMint');
    if (name === 'close') expect(chain.errorOf(purse.close({ rent_payer: account.payee }))).toBe('WrongRentRecipient');
  });

  describe('a key in a thief’s hands', () => {
    const { AccountOwner, CloseAccount } = AuthorityType;
    const setAuthority = (type: AuthorityType, to: PublicKey | null) =>
      createSetAuthorityInstruction(purse.tokenAccount, purse.key.publicKey, type, to);

    it('a revoked purse counts all as spent, and is closed without what the key kept', () => {
      chain.run(createRevokeInstruction(purse.tokenAccount, purse.key.publicKey));
      chain.run(purse.finish());
      expect(books()).toEqual({ reserved: 0n, spent: 100n, home: 900n });
      expect(chain.errorOf(purse.close())).toBe('none');
      expect(purse.balance()).toBe(100n);
    });

    it('a token account that was handed over counts as spent and blocks neither finishing nor closing', () => {
      chain.run(setAuthority(AccountOwner, chain.aKey().publicKey));
      chain.run(purse.finish());
      expect(books()).toEqual({ reserved: 0n, spent: 100n, home: 900n });
      expect(chain.errorOf(purse.close())).toBe('none');
    });

    it('the key can neither close its token account nor take back the right to close it', () => {
      expect(pay(100n)).toBe('none');
      const { publicKey } = purse.key;
      expect(chain.errorOf(createCloseAccountInstruction(purse.tokenAccount, publicKey, publicKey))).not.toBe('none');
      expect(chain.errorOf(setAuthority(CloseAccount, publicKey))).not.toBe('none');
    });
  });

  it('a frozen token account is neither swept, finished nor closed until it is thawed', () => {
    chain.run(chain.freeze(purse.tokenAccount));
    for (const attempt of [purse.sweep(), purse.finish()]) expect(chain.errorOf(attempt)).toBe('SourceFrozen');
    chain.run(chain.thaw(purse.tokenAccount));
    expect(chain.errorOf(purse.finish())).toBe('none');
  });

  describe('the rest of a channel', () => {
    let channel: TestChannel;
    let treasury: PublicKey;

    beforeEach(() => {
      channel = new TestChannel(purse, chain.aKey(), 60n);
      treasury = tokenAccountOf(chain, TREASURY);
    });

    const forceClosed = (): void => {
      chain.run(requestClose(channel.terms));
      chain.setTime(START + 2 * HOUR);
      chain.run(sealChannel(channel.terms));
      chain.run(distributeChannel(channel.terms));
    };

    it('a channel that a seller opened takes the deposit out of the purse, and no more than lies there', () => {
      expect(purse.balance()).toBe(40n);
      expect(channel.state()).toMatchObject({ status: 'open', deposit: 60n, settled: 0n });
      expect(() => new TestChannel(purse, chain.aKey(), 41n)).toThrow();
    });

    it('comes home after a forced close while the purse is open, and counts as not spent', () => {
      forceClosed();
      chain.run(purse.finish());
      expect(books()).toEqual({ reserved: 0n, spent: 0n, home: 1_000n });
    });

    it('comes home after the purse was finished by a stranger, because nobody but the account’s own keys closes it', () => {
      chain.setTime(START + HOUR);
      const closer = chain.aKey().publicKey;
      chain.run(purse.finish({ closer }));
      expect(books()).toEqual({ reserved: 0n, spent: 60n, home: 940n });
      expect(chain.errorOf(purse.close({ closer }))).toBe('ChannelInUse'); // without this rule the next two lines lose 60 to the treasury
      forceClosed();
      chain.run(purse.sweep({ closer }));
      expect(books()).toEqual({ reserved: 0n, spent: 60n, home: 1_000n });
      expect(chain.balance(treasury)).toBe(0n);
    });

    it('goes to the treasury of payment-channels if the purse was closed before', () => {
      chain.run(purse.finish());
      chain.run(purse.close());
      forceClosed();
      expect(chain.balance(treasury)).toBe(60n);
    });
  });
});
