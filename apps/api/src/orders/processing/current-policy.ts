/** Nothing is spent under a policy that is older than the one that was set. */
import { setTimeout } from 'node:timers/promises';
import type { Failure } from '#chain';
import type { OrderOutcome } from '../order-handlers.service';

/** Above every version of a policy. */
const UNREPORTED = 2n ** 64n;
/** Pause before a node that answers from an older policy than was observed is asked again, and how often: a slow node is seconds behind. */
const STALE_PAUSE_MS = 250;
const MAX_STALE_SIMULATIONS = 16;

/** Said of an account whose policy on chain is older than the one that was set there. */
export const POLICY_REVERTED =
  'The chain has gone back, and has an older policy of this account than the one that was set. Nothing was sent: an operator must set the policy again.';

const REVERTED: Failure = {
  reason: 'policy_reverted',
  detail: 'the chain has an older policy of this account than the one that was set',
};

/**
 * Repeats a simulation while it is judged by an older policy than the account is known to have. Each node that answers has reached the slot
 * at which the newer policy was seen: if the version stays older, the chain has gone back, and the outcome is the failure
 * `policy_reverted`. @throws what `simulate` throws
 */
export async function underCurrentPolicy(
  { policyVersion }: { policyVersion: bigint },
  simulate: () => Promise<OrderOutcome>,
): Promise<OrderOutcome> {
  for (let tries = 1; ; tries++) {
    const outcome = await simulate();
    if (versionOf(outcome) >= policyVersion) return outcome;
    if (tries >= MAX_STALE_SIMULATIONS) return { kind: 'failed', failure: REVERTED };
    await setTimeout(STALE_PAUSE_MS);
  }
}

/** Whether a simulation failed because the chain has gone back behind the account's policy. */
export function isPolicyReverted({ reason }: Pick<Failure, 'reason'>): boolean {
  return reason === REVERTED.reason;
}

/** The version of the policy that judged; above every other if the program does not report it. */
function versionOf(outcome: OrderOutcome): bigint {
  const version =
    outcome.kind === 'violation'
      ? outcome.violation.scope
        ? undefined
        : outcome.violation.policyVersion
      : outcome.kind === 'allowed'
        ? outcome.policyVersion
        : undefined;
  return version ?? UNREPORTED;
}
