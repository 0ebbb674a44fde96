import type { Schemas } from '#client';
import type { Operation } from '#client';
import type { Context, Register } from '../../context';
import { signed } from '../../custody/signing';
import { given, limitOf, listLimit, policyLimit } from '../../options';
import { bodyOf, changeShown, fieldsOf as policyFieldsOf, type PolicyOptions, withPolicyFields } from './policy';

type Fleet = Schemas['Fleet'];

const COLUMNS = {
  name: ({ name }: Fleet) => name,
  status: ({ status }: Fleet) => status,
  members: ({ members }: Fleet) => String(members),
  'spent today': ({ spent_usdc }: Fleet) => spent_usdc,
  left: ({ available_usdc }: Fleet) => available_usdc ?? 'no limit',
  fleet: ({ fleet_id }: Fleet) => fleet_id,
};

/** The limits of all members together, as options. */
interface LimitOptions {
  maxDailySpend?: string;
  maxMonthlySpend?: string;
  maxLifetimeSpend?: string;
}

/** `fleets list | show | create | policy | limits | add | remove | pause | resume | close` */
export const fleets: Register = (program, context) => {
  const group = program.command('fleets').description('one policy, one set of limits and one pause for many accounts');
  group
    .command('list')
    .description('list fleets, newest first')
    .option('--limit <number>', 'how many', listLimit)
    .action(async ({ limit }: { limit?: number }) => context.list(context.client().fleets.list(), limit, COLUMNS));
  group
    .command('show')
    .description('a fleet, and what its members may still spend together')
    .argument('<fleet>', 'its id')
    .action(async (id: string) => show(context, await context.client().fleets.retrieve(id)));
  withLimits(group.command('create').description('create a fleet').argument('<name>')).action(
    async (name: string, options: LimitOptions) => {
      const create = () => context.client().fleets.create({ name, limits: limitsOf(options) });
      show(context, await done(context, create, 'create_fleet'));
    },
  );
  withPolicyFields(
    group
      .command('policy')
      .description('the policy that binds each member by itself; with options, says what they change and asks first')
      .argument('<fleet>', 'its id'),
  )
    .option('--yes', 'do not ask')
    .action(async (id: string, { yes, ...options }: PolicyOptions & { yes?: boolean }) => {
      const { fleets: all } = context.client();
      if (Object.keys(options).length > 0) return changeShown(context, all, id, bodyOf(options), yes === true);
      const current = await all.policy(id);
      context.show(current, policyFieldsOf(current));
    });
  withLimits(group.command('limits').description('change the limits of all members together').argument('<fleet>', 'its id')).action(
    async (id: string, options: LimitOptions) => {
      const change = () => context.client().fleets.updateLimits(id, limitsOf(options));
      const limits = await done(context, change, 'set_fleet_limits');
      context.show(limits, { ...limits });
    },
  );
  group
    .command('add')
    .description('put an account into a fleet')
    .argument('<fleet>', 'its id')
    .argument('<account>', 'its id')
    .action(async (fleet: string, account: string) => {
      const moved = await done(
        context,
        () => context.client().accounts.setFleet(account, fleet),
        'join_fleet',
        'leave_fleet',
        'end_policy',
      );
      context.show(moved, { account_id: moved.account_id, fleet_id: moved.fleet_id, status: moved.status });
    });
  group
    .command('remove')
    .description('take an account out of its fleet: without a policy of its own it is paused')
    .argument('<account>', 'its id')
    .action(async (account: string) => {
      const moved = await done(context, () => context.client().accounts.setFleet(account, null), 'leave_fleet');
      context.show(moved, { account_id: moved.account_id, fleet_id: moved.fleet_id, status: moved.status });
    });
  group
    .command('pause')
    .description('stop all payments of the members, and end their open purses')
    .argument('<fleet>', 'its id')
    .action(async (id: string) => {
      const paused = await done(context, () => context.client().fleets.pause(id), 'set_policy');
      const { open_purses, job_id } = paused;
      context.show(paused, { ...fieldsOf(paused), open_purses, ...(job_id !== null && { job_id }) });
    });
  group
    .command('resume')
    .description('let the members pay again')
    .argument('<fleet>', 'its id')
    .action(async (id: string) => show(context, await done(context, () => context.client().fleets.resume(id), 'set_policy')));
  group
    .command('close')
    .description('close a fleet without members for ever')
    .argument('<fleet>', 'its id')
    .action(async (id: string) => show(context, await done(context, () => context.client().fleets.close(id), 'close_fleet')));
};

/** Does it, and signs what it needs if the operator holds its chain key: no other instruction than these. */
function done<T extends object>(context: Context, call: () => Promise<T>, ...only: Operation[]): Promise<T> {
  return signed(context, context.client(), call, { only });
}

function withLimits<T extends { option: (flags: string, text: string, parse: (value: string) => string) => T }>(command: T): T {
  return command
    .option('--max-daily-spend <usdc>', 'most of all members in any 24 hours, or none', policyLimit)
    .option('--max-monthly-spend <usdc>', 'most of all members in any 30 days, or none', policyLimit)
    .option('--max-lifetime-spend <usdc>', 'most of all members ever, or none', policyLimit);
}

function limitsOf({ maxDailySpend, maxMonthlySpend, maxLifetimeSpend }: LimitOptions): Schemas['UpdateLimits'] {
  const limit = (text: string | undefined) => (text === undefined ? undefined : limitOf(text));
  return given({
    max_daily_spend: limit(maxDailySpend),
    max_monthly_spend: limit(maxMonthlySpend),
    max_lifetime_spend: limit(maxLifetimeSpend),
  });
}

function show(context: Context, fleet: Fleet): void {
  context.show(fleet, fieldsOf(fleet));
}

function fieldsOf({ fleet_id, name, status, members, spent_usdc, reserved_usdc, available_usdc, limits }: Fleet) {
  const { max_daily_spend, max_monthly_spend, max_lifetime_spend } = limits;
  const limited = { max_daily_spend, max_monthly_spend, max_lifetime_spend };
  const named = Object.fromEntries(Object.entries(limited).map(([limit, value]) => [limit, value ?? 'none']));
  return { fleet_id, name, status, members, ...named, spent_usdc, reserved_usdc, available_usdc: available_usdc ?? 'no limit' };
}
