/** `sweep_closed_account`: moves money that arrives after an account was closed to where its operator says. */
import { createAssociatedTokenAccountIdempotentInstruction } from '@solana/spl-token';
import type { PublicKey } from '@solana/web3.js';
import { anAccount, type TestAccount } from './support/account';
import { aChain, unsigned, type TestChain } from './support/chain';

describe('sweep_closed_account', () => {
  let chain: TestChain;
  let account: TestAccount;

  beforeEach(() => {
    chain = aChain();
    account = anAccount(chain, { balance: 0n });
    chain.run(account.close());
    chain.run(
      createAssociatedTokenAccountIdempotentInstruction(chain.feePayer.publicKey, account.tokenAccount, account.address, chain.mint),
    );
    chain.setTokens(account.tokenAccount, { amount: 5n });
  });

  const sweep = (accounts = {}, destination = account.payee): string => chain.errorOf(account.sweepClosed(destination, accounts));

  it('sweep_closed_account moves the whole balance to the destination, each time money arrives', () => {
    expect(chain.run(account.sweepClosed(account.payee)).events).toEqual([
      { name: 'AccountSwept', data: { account: account.address.toBase58(), amount: 5n, destination: account.payee.toBase58() } },
    ]);
    expect(sweep()).toBe('AmountZero');
    chain.setTokens(account.tokenAccount, { amount: 3n });
    expect(sweep()).toBe('none');
    expect(chain.balance(account.payee)).toBe(8n);
  });

  it.each<[string, () => PublicKey]>([
    ['the authority', () => account.authority.publicKey],
    ['the creator', () => account.creator.publicKey],
    ['a stranger', () => chain.aKey().publicKey],
    ['another account’s operator', () => anAccount(chain).operator.publicKey],
  ])('sweep_closed_account rejects %s as the signer', (_who, operator) => {
    expect(sweep({ operator: operator() })).toBe('WrongOperator');
    expect(account.balance()).toBe(5n);
  });

  it('sweep_closed_account rejects the operator when it is named and does not sign', () => {
    expect(chain.errorOf(unsigned(account.sweepClosed(account.payee), account.operator.publicKey))).toBe('AccountNotSigner');
  });

  it.each<[string, () => object, string]>([
    ['an account that is not closed', () => ({ account: anAccount(chain).address }), 'AccountDiscriminatorMismatch'],
    ['another account’s token account', () => ({ token_account: anAccount(chain).tokenAccount }), 'WrongTokenAccount'],
    ['another mint', () => ({ mint: chain.aMint() }), 'WrongMint'],
    ['the token account as its own destination', () => ({ destination: account.tokenAccount }), 'DestinationIsSource'],
  ])('sweep_closed_account rejects %s', (_what, accounts, expected) => {
    expect(sweep(accounts())).toBe(expected);
  });

  it('sweep_closed_account rejects an account that an earlier version closed', () => {
    chain.put(account.address, { ...chain.account(account.address), data: Buffer.alloc(8, 0xff) });
    expect(sweep()).toBe('AccountDidNotDeserialize');
  });
});
