import type { Schemas } from '#client';
import { given, amount, listLimit, wholeNumber } from '../../options';
import { printOrder, printPrediction } from '../../orders';
import type { Register } from '../../context';
import { timeOf } from '../../output/output';

type Session = Schemas['Session'];
interface OpenOptions {
  account?: string;
  provider: string;
  payee: string;
  cap: string;
  category?: string;
  reference?: string;
  expiresIn?: number;
  idempotencyKey?: string;
  dryRun?: boolean;
}

const COLUMNS = {
  provider: ({ provider }: Session) => provider,
  status: ({ status }: Session) => status,
  cap: ({ cap_usdc }: Session) => cap_usdc,
  spent: ({ running_total_usdc }: Session) => running_total_usdc,
  expires: ({ expires_at }: Session) => timeOf(expires_at),
  session: ({ session_id }: Session) => session_id,
};
const MONTH_SECONDS = 2_592_000;

/** `sessions list | open | close` */
export const sessions: Register = (program, context) => {
  const group = program.command('sessions').description('sessions: an amount set aside for one provider');
  group
    .command('list')
    .description('list sessions, newest first')
    .option('--account <id>', 'only of this account')
    .option('--status <status>', 'pending_approval, open, closing, settled or rejected')
    .option('--limit <number>', 'how many', listLimit)
    .action(async ({ account, status, limit }: { account?: string; status?: Session['status']; limit?: number }) =>
      context.list(context.client().sessions.list(given({ account_id: account, status })), limit, COLUMNS),
    );
  group
    .command('open')
    .description('open a session')
    .option('--account <id>', 'which pays (default: APS_ACCOUNT, or the only one of an agent key)')
    .requiredOption('--provider <origin>', 'such as https://api.example.com')
    .requiredOption('--payee <address>', 'whom it pays')
    .requiredOption('--cap <usdc>', 'most that it may spend', amount)
    .option('--category <name>')
    .option('--reference <text>')
    .option('--expires-in <seconds>', 'from 60 s to 30 days', wholeNumber(60, MONTH_SECONDS))
    .option('--idempotency-key <key>', 'to repeat the command safely')
    .option('--dry-run', 'only say what would happen')
    .action(async ({ account, provider, payee, cap, expiresIn, idempotencyKey, dryRun, ...texts }: OpenOptions) => {
      const client = context.client();
      const more = given({ ...texts, expires_in_seconds: expiresIn, idempotency_key: idempotencyKey });
      const params = { account_id: await context.account(client, account), provider, payee, cap, ...more };
      if (dryRun === true) return printPrediction(context, await client.sessions.dryRun(params));
      const session = await client.sessions.create(params);
      printOrder(context, session.status === 'opening' ? await client.sessions.waitUntilOpen(session) : session, fieldsOf);
    });
  group
    .command('close')
    .description('close a session: settles what was spent, returns the rest')
    .argument('<session>', 'its id, sess_…')
    .action(async (id: string) => {
      const session = await context.client().sessions.close(id);
      context.show(session, fieldsOf(session));
    });
};

function fieldsOf({ metadata: _metadata, approval: _approval, ...fields }: Session) {
  return fields;
}
