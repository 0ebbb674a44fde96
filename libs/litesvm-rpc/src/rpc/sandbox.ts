/** RPC methods that only the embedded chain has: they move its clock and slots forward. */
import { toBase58 } from '../wire/bytes';
import type { Methods } from './dispatch';
import { invalidParams } from './errors';
import type { Params } from './params';

const MOST_SECONDS = 31_536_000;
const MOST_SLOTS = 1_000_000;

export const sandboxMethods: Methods = {
  sandbox_advanceClock: ({ ledger, params }) => {
    ledger.skipSeconds(amountOf(params, { name: 'seconds', max: MOST_SECONDS }));
    return { now: ledger.clock.now };
  },

  sandbox_advanceSlots: ({ ledger, params }) => {
    ledger.skipSlots(amountOf(params, { name: 'slots', max: MOST_SLOTS }));
    return { slot: ledger.slots.current };
  },

  sandbox_info: ({ ledger }) => ({
    genesisHash: ledger.genesisHash,
    slot: ledger.slots.current,
    now: ledger.clock.now,
    clockOffsetSeconds: ledger.clock.state.offsetSeconds,
    transactions: ledger.history.size,
    faucet: toBase58(ledger.faucetAddress),
  }),
};

function amountOf(params: Params, options: { name: string; max: number }): number {
  const amount = params.config(0).number(options.name);
  if (amount === undefined || amount < 1 || amount > options.max) {
    throw invalidParams(`Invalid params: \`${options.name}\` must be a whole number from 1 to ${options.max}.`);
  }
  return amount;
}
