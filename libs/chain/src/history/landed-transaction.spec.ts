import { PublicKey } from '@solana/web3.js';
import { Addresses } from '../program/addresses';
import { PROGRAM_ID } from '../program/idl';
import { readTransaction } from './landed-transaction';

const key = (byte: number): string => new PublicKey(Buffer.alloc(32, byte)).toBase58();
const mint = key(1);
const addresses = new Addresses(PROGRAM_ID, new PublicKey(mint));
const owner = key(2);
const tokenAccount = addresses.tokenAccount(new PublicKey(owner)).toBase58();
const balance = (accountIndex: number, amount: string, of = mint) => ({ accountIndex, mint: of, owner, uiTokenAmount: { amount } });
const meta = { err: null, logMessages: null, innerInstructions: null, preTokenBalances: [], postTokenBalances: [] };
const answer = (message: object, more: object = {}) => ({
  slot: 7,
  blockTime: 100,
  transaction: { signatures: ['s'], message },
  meta: { ...meta, ...more },
  version: 1,
});

it('readTransaction reads instructions of the transaction and of the programs that it calls, with loaded addresses', () => {
  const inner = [{ index: 0, instructions: [{ programIdIndex: 2, accounts: [0, 3], data: '2' }] }];
  const message = { accountKeys: [key(4), key(5), key(6)], instructions: [{ programIdIndex: 1, accounts: [0], data: '3' }] };
  const loadedAddresses = { writable: [key(7)], readonly: [] };
  expect(readTransaction(answer(message, { innerInstructions: inner, loadedAddresses }), addresses)?.instructions).toEqual([
    { program: key(5), accounts: [key(4)], data: Buffer.from([2]), isTopLevel: true },
    { program: key(6), accounts: [key(4), key(7)], data: Buffer.from([1]), isTopLevel: false },
  ]);
});

it('readTransaction takes balances from the metadata if the version of the message cannot be read', () => {
  const more = { preTokenBalances: [balance(3, '5'), balance(4, '9', key(9))], postTokenBalances: [balance(3, '12')] };
  const read = readTransaction(answer({ somethingNew: true }, more), addresses);
  expect(read).toMatchObject({ slot: 7, blockTime: 100, error: null, instructions: [], logs: [] });
  expect(read?.balances).toEqual(new Map([[tokenAccount, { before: 5n, after: 12n }]]));
});

it('readTransaction returns null for a transaction that the node does not have, and rejects what is not a transaction', () => {
  expect(readTransaction(null, addresses)).toBeNull();
  for (const wrong of [{}, 'text', { slot: 1 }, { slot: 1, transaction: {} }])
    expect(() => readTransaction(wrong, addresses)).toThrow('not a transaction');
});
