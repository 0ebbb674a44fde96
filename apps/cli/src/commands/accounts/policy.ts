import { POLICY_LIMITS, PreconditionFailedError, type Schemas } from '#client';
import type { Command } from 'commander';
import { policyChange } from '../../custody/policy-change';
import { signed } from '../../custody/signing';
import { UsageError } from '../../output/exit-codes';
import { flag, given, limitOf, listOf, policyLimit } from '../../options';
import type { Context, Register } from '../../context';

type Policy = Schemas['Policy'];

export interface PolicyOptions {
  maxSingleTransfer?: string;
  maxDailySpend?: string;
  maxMonthlySpend?: string;
  maxLifetimeSpend?: string;
  maxSessionCap?: string;
  escalationThreshold?: string;
  approvalAboveDailySum?: string;
  validUntil?: string;
  allowedCounterparties?: string;
  categories?: string;
  requireMemo?: boolean;
  paused?: boolean;
}

/** `policy show | set | check` */
export const policy: Register = (program, context) => {
  const group = program.command('policy').description('what an account may spend; the chain enforces it');
  group
    .command('show')
    .description('the policy of an account')
    .argument('<account>', 'its id')
    .action(async (id: string) => {
      const current = await context.client().accounts.policy(id);
      context.show(current, fieldsOf(current));
    });
  withPolicyFields(withAccount(group.command('set').description('change a policy: says what changes and asks first')))
    .option('--yes', 'do not ask')
    .action(async (id: string, { yes, ...options }: PolicyOptions & { yes?: boolean }) =>
      changeShown(context, context.client().accounts, id, bodyOf(options), yes === true),
    );
  withPolicyFields(withAccount(group.command('check').description('say what `policy set` would change'))).action(
    async (id: string, options: PolicyOptions) => {
      const { changes } = await context.client().accounts.dryRunPolicy(id, bodyOf(options));
      context.print({ changes }, changes.length === 0 ? 'This changes nothing.' : changes.join('\n'));
    },
  );
};

/** The owners of policies: accounts, or fleets. */
interface Policies {
  policy(id: string): Promise<AnyPolicy>;
  dryRunPolicy(id: string, body: Schemas['UpdatePolicy']): Promise<{ changes: string[] }>;
  updatePolicy(id: string, body: Schemas['UpdatePolicy'], options: { ifVersion: number }): Promise<AnyPolicy>;
}
type AnyPolicy = Policy | Schemas['FleetPolicy'];

/** Says what a change of a policy changes, asks unless `yes`, changes it, and shows it. */
export async function changeShown(context: Context, of: Policies, id: string, body: Schemas['UpdatePolicy'], yes: boolean): Promise<void> {
  // The change is bound to the version that the sentences describe.
  const { version } = await of.policy(id);
  const { changes } = await of.dryRunPolicy(id, body);
  for (const sentence of changes) context.note(sentence);
  if (changes.length === 0) context.note('This changes nothing.');
  else if (!yes) await context.agree('Change the policy?', { changed: false, changes }, 'Nothing was changed.');
  const change = () => of.updatePolicy(id, body, { ifVersion: version });
  const changed =
    changes.length === 0 ? await of.policy(id) : await signed(context, context.client(), change, policyChange(body)).catch(explained);
  context.show({ changed: changes.length > 0, changes, policy: changed }, fieldsOf(changed));
}

function withAccount(command: Command): Command {
  return command.argument('<account>', 'its id');
}

/** Adds the fields of a policy as options. */
export function withPolicyFields(command: Command): Command {
  return command
    .option('--max-single-transfer <usdc>', 'most in one transfer, or none', policyLimit)
    .option('--max-daily-spend <usdc>', 'most in any 24 hours, or none', policyLimit)
    .option('--max-monthly-spend <usdc>', 'most in any 30 days, or none', policyLimit)
    .option('--max-lifetime-spend <usdc>', 'most ever, or none', policyLimit)
    .option('--max-session-cap <usdc>', 'most of one session or purse, or none', policyLimit)
    .option('--escalation-threshold <usdc>', 'from here an operator must approve, or none', policyLimit)
    .option('--approval-above-daily-sum <usdc>', 'an operator must approve what raises 24 hours above it, or none', policyLimit)
    .option('--valid-until <time>', 'when spending ends, such as 2030-01-31T12:00:00Z, or none')
    .option('--allowed-counterparties <list>', 'addresses or account ids with commas, any, or none')
    .option('--categories <list>', 'categories with commas, any, or none')
    .option('--require-memo <yes|no>', 'whether a transfer needs a memo', flag)
    .option('--paused <yes|no>', 'whether all payments are blocked', flag);
}

/** The named fields. @throws UsageError without any */
export function bodyOf(options: PolicyOptions): Schemas['UpdatePolicy'] {
  const limit = (text: string | undefined) => (text === undefined ? undefined : limitOf(text));
  const list = (text: string | undefined) => (text === undefined ? undefined : listOf(text));
  const body = given({
    max_single_transfer: limit(options.maxSingleTransfer),
    max_daily_spend: limit(options.maxDailySpend),
    max_monthly_spend: limit(options.maxMonthlySpend),
    max_lifetime_spend: limit(options.maxLifetimeSpend),
    max_session_cap: limit(options.maxSessionCap),
    escalation_threshold: limit(options.escalationThreshold),
    approval_above_daily_sum: limit(options.approvalAboveDailySum),
    valid_until: options.validUntil === 'none' ? null : options.validUntil,
    allowed_counterparties: list(options.allowedCounterparties),
    categories: list(options.categories),
    require_memo: options.requireMemo,
    paused: options.paused,
  });
  if (Object.keys(body).length === 0) throw new UsageError('Name at least one field, such as --max-daily-spend 50.');
  return body;
}

/** Says what a failed precondition means here. */
function explained(error: unknown): never {
  if (error instanceof PreconditionFailedError)
    error.message = `The policy was changed meanwhile: what was said above is no longer true. Nothing was changed. Run it again. ${error.message}`;
  throw error;
}

/** The fields of a policy, as a person reads them. */
export function fieldsOf(policy: AnyPolicy) {
  const { allowed_counterparties, categories, version, updated_at, ...others } = policy;
  const { fleet, ...fields } = { fleet: undefined, ...others };
  const list = (entries: string[] | null) => (entries === null ? 'any' : entries.join(', ') || 'none');
  const limits = Object.fromEntries(([...POLICY_LIMITS, 'valid_until'] as const).map((name) => [name, fields[name] ?? 'none']));
  return {
    ...fields,
    ...limits,
    allowed_counterparties: list(allowed_counterparties),
    categories: list(categories),
    version,
    updated_at,
    ...(fleet && { fleet_id: fleet.fleet_id }),
  };
}
