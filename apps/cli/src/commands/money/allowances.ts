/** The commands of sessions and purses: amounts that are set aside to be paid out of. */
import { type Command, Option } from 'commander';
import type { AgentPayments, PagePromise, PurseCreateParams, Schemas, SessionCreateParams } from '#client';
import type { Context, Register } from '../../context';
import { given, amount, listLimit, wholeNumber } from '../../options';
import { printOrder, printPrediction } from '../../orders';
import { type Columns, timeOf } from '../../output/output';

type Session = Schemas['Session'];
type Purse = Schemas['Purse'];
type Channel = Schemas['Channel'];

/** The options of `open`. Those that are not listed here are named as the parameters of the call. */
interface OpenOptions {
  account?: string;
  expiresIn?: number;
  idempotencyKey?: string;
  dryRun?: boolean;
}

/** The calls of the client for one kind. */
interface Calls<T, Params> {
  list(query: object): PagePromise<T>;
  create(params: Params): Promise<T>;
  dryRun(params: Params): Promise<Schemas['DryRun']>;
  waitUntilOpen(allowance: T): Promise<T>;
  close(id: string): Promise<T>;
}

/** The differences between sessions and purses. */
interface Kind<T, Params> {
  noun: 'session' | 'purse';
  /** The prefix of its ids. */
  prefix: 'sess' | 'purse';
  /** The state of one that has ended. */
  ended: 'settled' | 'closed';
  /** The end of the description of `close`. */
  closing: string;
  columns: Columns<T>;
  /** The options of `open` that only this kind has. */
  options: Option[];
  /** The bounds of its life, in seconds and in words. */
  expiresIn: { range: string; atMost: number };
  callsOf(client: AgentPayments): Calls<T, Params>;
}

/** The shortest life of both kinds, in seconds. */
const MIN_SECONDS = 60;

const SESSION: Kind<Session, SessionCreateParams> = {
  noun: 'session',
  prefix: 'sess',
  ended: 'settled',
  closing: ': settles what was spent, returns the rest',
  columns: {
    provider: ({ provider }) => provider,
    status: ({ status }) => status,
    cap: ({ cap_usdc }) => cap_usdc,
    spent: ({ running_total_usdc }) => running_total_usdc,
    expires: ({ expires_at }) => timeOf(expires_at),
    session: ({ session_id }) => session_id,
  },
  options: [
    new Option('--provider <origin>', 'such as https://api.example.com').makeOptionMandatory(),
    new Option('--payee <address>', 'whom it pays').makeOptionMandatory(),
    new Option('--cap <usdc>', 'most that it may spend').argParser(amount).makeOptionMandatory(),
  ],
  expiresIn: { range: 'from 60 s to 30 days', atMost: 2_592_000 },
  callsOf: ({ sessions }) => sessions,
};

const PURSE: Kind<Purse, PurseCreateParams> = {
  noun: 'purse',
  prefix: 'purse',
  ended: 'closed',
  closing: ' and return the rest',
  columns: {
    host: ({ host }) => host ?? 'any',
    kind: ({ kind }) => kind,
    status: ({ status }) => status,
    amount: ({ amount_usdc }) => amount_usdc,
    spent: ({ spent_usdc }) => spent_usdc,
    expires: ({ expires_at }) => timeOf(expires_at),
    purse: ({ purse_id }) => purse_id,
  },
  options: [
    new Option('--amount <usdc>', 'most that it may spend').argParser(amount).makeOptionMandatory(),
    new Option('--kind <kind>', 'channel: for metered sellers').choices(['allowance', 'channel']),
    new Option('--host <host>', 'pay only this host'),
  ],
  expiresIn: { range: 'from 60 s to an hour; of a channel purse from an hour to 8 days', atMost: 691_200 },
  callsOf: ({ purses }) => purses,
};

const CHANNEL_COLUMNS = {
  seller: ({ seller }: Channel) => seller,
  status: ({ status }: Channel) => status,
  deposit: ({ deposit_usdc }: Channel) => deposit_usdc,
  settled: ({ settled_usdc }: Channel) => settled_usdc,
  channel: ({ channel_address }: Channel) => channel_address,
};

/** `sessions list | open | close` */
export const sessions: Register = (program, context) => {
  const group = program.command('sessions').description('sessions: an amount set aside for one provider');
  addListAndOpen(group, context, SESSION);
  addClose(group, context, SESSION);
};

/** `purses list | open | channels | close` */
export const purses: Register = (program, context) => {
  const group = program.command('purses').description('purses: an amount for many x402 payments');
  addListAndOpen(group, context, PURSE);
  group
    .command('channels')
    .description('list the payment channels of a channel purse, newest first')
    .argument('<purse>', 'its id, purse_…')
    .option('--limit <number>', 'how many', listLimit)
    .action(async (id: string, { limit }: { limit?: number }) =>
      context.list(context.client().purses.channels(id), limit, CHANNEL_COLUMNS),
    );
  addClose(group, context, PURSE);
};

function addListAndOpen<T extends Session | Purse, Params>(group: Command, context: Context, kind: Kind<T, Params>): void {
  const { noun, ended, columns, options, expiresIn, callsOf } = kind;
  group
    .command('list')
    .description(`list ${noun}s, newest first`)
    .option('--account <id>', 'only of this account')
    .option('--status <status>', `pending_approval, open, closing, ${ended} or rejected`)
    .option('--limit <number>', 'how many', listLimit)
    .action(async ({ account, status, limit }: { account?: string; status?: T['status']; limit?: number }) =>
      context.list(callsOf(context.client()).list(given({ account_id: account, status })), limit, columns),
    );
  const open = group
    .command('open')
    .description(`open a ${noun}`)
    .option('--account <id>', 'which pays (default: APS_ACCOUNT, or the only one of an agent key)');
  for (const option of options) open.addOption(option);
  open
    .option('--category <name>')
    .option('--reference <text>')
    .option('--expires-in <seconds>', expiresIn.range, wholeNumber(MIN_SECONDS, expiresIn.atMost))
    .option('--idempotency-key <key>', 'to repeat the command safely')
    .option('--dry-run', 'only say what would happen')
    .action(async ({ account, expiresIn: expires_in_seconds, idempotencyKey: idempotency_key, dryRun, ...named }: OpenOptions) => {
      const client = context.client();
      const calls = callsOf(client);
      const account_id = await context.account(client, account);
      const params = { account_id, ...named, ...given({ expires_in_seconds, idempotency_key }) } as Params;
      if (dryRun === true) return printPrediction(context, await calls.dryRun(params));
      const opened = await calls.create(params);
      printOrder(context, opened.status === 'opening' ? await calls.waitUntilOpen(opened) : opened, fieldsOf);
    });
}

function addClose<T extends Session | Purse, Params>(
  group: Command,
  context: Context,
  { noun, prefix, closing, callsOf }: Kind<T, Params>,
): void {
  group
    .command('close')
    .description(`close a ${noun}${closing}`)
    .argument(`<${noun}>`, `its id, ${prefix}_…`)
    .action(async (id: string) => {
      const allowance = await callsOf(context.client()).close(id);
      context.show(allowance, fieldsOf(allowance));
    });
}

/** An allowance as lines. */
function fieldsOf({ metadata: _metadata, approval: _approval, ...fields }: Session | Purse) {
  return fields;
}
