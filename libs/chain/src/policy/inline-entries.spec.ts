/** The largest change of a policy with its lists in the transaction itself. */
import { Keypair, PublicKey } from '@solana/web3.js';
import { PROGRAM_ID } from '../program/idl';
import { instruction } from '../program/instruction';
import { compile } from '../tx/build';
import { MAX_INLINE_ENTRIES } from './policies';
import { setPolicyArgs } from './policy-data';

const PACKET_BYTES = 1_232;
const aKey = (): PublicKey => Keypair.generate().publicKey;

/** Bytes of a change of every field with so many list entries, of a member, that pauses and pays for its transaction by a price. */
function bytesWith(entries: number): number {
  const amount = 1n;
  const change = {
    ...{ maxSingleTransfer: amount, maxDailySpend: amount, maxMonthlySpend: amount, maxLifetimeSpend: amount, maxSessionCap: amount },
    ...{ escalationThreshold: amount, approvalAboveDailySum: amount, validUntil: new Date(0), requireMemo: true, paused: true },
    allowedCounterparties: Array.from({ length: entries - 1 }, () => aKey().toBase58()),
    categories: ['food'],
  };
  const feePayer = aKey();
  const names = ['owner', 'policy', 'operator', 'rent_recipient', 'token_account', 'fleet'];
  const accounts = { payer: feePayer, ...Object.fromEntries(names.map((name) => [name, aKey()])) };
  const setPolicy = instruction(PROGRAM_ID, 'set_policy', accounts, { args: setPolicyArgs(change, 1n, false) });
  const draft = { instructions: [setPolicy], feePayer, computeUnits: 20_000, microLamportsPerUnit: 1n };
  return compile(draft, aKey().toBase58()).serialize().length;
}

test('lists of at most MAX_INLINE_ENTRIES fit into a transaction with a change of every other field, and not one entry more', () => {
  const fitting = Array.from({ length: 30 }, (_, index) => index + 1).filter((entries) => bytesWithOrMore(entries) <= PACKET_BYTES);
  expect(fitting.at(-1)).toBe(MAX_INLINE_ENTRIES);
});

/** `serialize` throws above the bytes of a packet. */
function bytesWithOrMore(entries: number): number {
  try {
    return bytesWith(entries);
  } catch {
    return PACKET_BYTES + 1;
  }
}
