/** Compute units of each instruction: the cases on which the limits are asserted, and which the benchmark prints. */
import { ComputeBudgetProgram } from '@solana/web3.js';
import { COMPUTE_UNITS } from '../../../../libs/chain/src/program/compute-units';
import { aChain } from './chain';
import { ACCOUNT_CASES } from './compute-accounts';
import { PAYMENT_CASES } from './compute-payments';
import type { Ceiling, Prepare } from './compute-states';
import type { Outcome } from './outcome';

export interface Case {
  /** The limit of the chain library that applies. */
  ceiling: Ceiling;
  title: string;
  /** The expected error; undefined for a success. */
  error?: string;
  prepare: Prepare;
}

export const CASES: Case[] = [ACCOUNT_CASES, PAYMENT_CASES].flatMap((cases) =>
  (Object.keys(cases) as Ceiling[]).flatMap((ceiling) =>
    (cases[ceiling] ?? []).map(([title, prepare, error]) => ({ ceiling, title, prepare, error })),
  ),
);

/** Runs a case `times` times, each on a new account, with the compute budget instruction that the service adds. */
export function measure({ ceiling, prepare }: Case, times: number): Outcome[] {
  const chain = aChain();
  return Array.from({ length: times }, () =>
    chain.send(ComputeBudgetProgram.setComputeUnitLimit({ units: COMPUTE_UNITS[ceiling] }), ...[prepare(chain)].flat()),
  );
}
