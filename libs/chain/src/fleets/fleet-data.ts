/** Reads a fleet's account. */
import { PublicKey } from '@solana/web3.js';
import { coder, dateOf, decodeFields, limitOf, toBigint } from '../program/idl';
import type { ChainFleet } from './fleet.types';

const FLEET = coder.accounts.accountDiscriminator('Fleet');

/** Whether these bytes are a fleet, and not an account. */
export function isFleet(data: Buffer): boolean {
  return data.subarray(0, FLEET.length).equals(FLEET);
}

/** Reads the bytes of a fleet. */
export function decodeFleet(address: string, data: Buffer): ChainFleet {
  const fleet = decodeFields('Fleet', data);
  return {
    address,
    creator: fleet.creator.toBase58(),
    id: Uint8Array.from(fleet.id),
    operator: fleet.operator.toBase58(),
    guardian: fleet.guardian.equals(PublicKey.default) ? null : fleet.guardian.toBase58(),
    members: fleet.members,
    limits: {
      maxDailySpend: limitOf(fleet.max_daily_spend),
      maxMonthlySpend: limitOf(fleet.max_monthly_spend),
      maxLifetimeSpend: limitOf(fleet.max_lifetime_spend),
    },
    limitsVersion: toBigint(fleet.limits_version),
    updatedAt: dateOf(fleet.updated_at),
    reserved: toBigint(fleet.tally.reserved),
  };
}
