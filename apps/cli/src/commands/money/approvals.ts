import type { AgentPayments, Operation, Schemas } from '#client';
import { accountNames } from '../../output/account-names';
import { first } from '../../context';
import { signed } from '../../custody/signing';
import { UsageError } from '../../output/exit-codes';
import { card, type Columns, table, timeOf } from '../../output/output';
import type { Register } from '../../context';

/** The most of each kind that `list` shows. */
const MAX_SHOWN = 1_000;

/** An order that waits for an operator: a transfer, a session or a purse. */
interface Waiting {
  id: string;
  kind: 'transfer' | 'session' | 'purse';
  account: string;
  amount_usdc: string;
  to: string | null;
  expires_at: string | undefined;
}

/** `approvals list | approve | deny` */
export const approvals: Register = (program, context) => {
  const group = program.command('approvals').description('what waits for an operator’s approval');
  group
    .command('list')
    .description('list transfers, sessions and purses that wait')
    .action(async () => {
      const client = context.client();
      const waiting = await allWaiting(client);
      if (context.json || waiting.length === 0) return context.print(waiting, 'Nothing waits for approval.');
      const nameOf = await accountNames(
        client,
        waiting.flatMap(({ account, to }) => [account, to]),
      );
      const columns: Columns<Waiting> = {
        account: ({ account }) => nameOf(account),
        to: ({ to }) => nameOf(to),
        amount: ({ amount_usdc }) => amount_usdc,
        kind: ({ kind }) => kind,
        expires: ({ expires_at }) => timeOf(expires_at),
        id: ({ id }) => id,
      };
      context.print(waiting, table(columns, waiting));
    });
  group
    .command('approve')
    .description('approve and execute; all rules are checked again')
    .argument('<id>', 'tr_…, sess_… or purse_…')
    .action(async (id: string) => {
      const client = context.client();
      const { approve, only } = callsOf(client, id);
      const approved = await signed(context, client, approve, { only });
      context.print(approved, card({ id, status: approved.status, tx_signature: approved.tx_signature }));
    });
  group
    .command('deny')
    .description('deny')
    .argument('<id>', 'tr_…, sess_… or purse_…')
    .option('--reason <text>', 'why; the agent can read it')
    .action(async (id: string, { reason }: { reason?: string }) => {
      const denied = await callsOf(context.client(), id).deny(reason === undefined ? {} : { reason });
      context.print(denied, card({ id, status: denied.status, rejection_reason: denied.rejection_reason }));
    });
};

type Decided = Schemas['Transfer'] | Schemas['Session'] | Schemas['Purse'];

/** The calls for an object, and the instructions that an approval of it signs. */
interface Calls {
  approve(): Promise<Decided>;
  deny(body: { reason?: string }): Promise<Decided>;
  only: Operation[];
}

/** By the prefix of its id. @throws UsageError */
function callsOf(client: AgentPayments, id: string): Calls {
  const groups = { tr: client.transfers, sess: client.sessions, purse: client.purses };
  const only: Record<keyof typeof groups, Operation[]> = {
    tr: ['transfer'],
    sess: ['open_session', 'top_up_session'],
    purse: ['approve_charge', 'fund_channel'],
  };
  const prefix = (['tr', 'sess', 'purse'] as const).find((one) => id.startsWith(`${one}_`));
  if (!prefix) throw new UsageError('The id must begin with tr_, sess_ or purse_.');
  const group = groups[prefix];
  return { approve: () => group.approve(id), deny: (body) => group.deny(id, body), only: only[prefix] };
}

async function allWaiting(client: AgentPayments): Promise<Waiting[]> {
  const status = 'pending_approval';
  const transfers = await first(client.transfers.list({ status }), MAX_SHOWN);
  const sessions = await first(client.sessions.list({ status }), MAX_SHOWN);
  const purses = await first(client.purses.list({ status }), MAX_SHOWN);
  return [
    ...transfers.map((each) => waiting('transfer', each, each.transfer_id, each.from, each.amount_usdc, each.to)),
    ...sessions.map((each) => waiting('session', each, each.session_id, each.account_id, each.cap_usdc, each.provider)),
    ...purses.map((each) => waiting('purse', each, each.purse_id, each.account_id, each.amount_usdc, each.host)),
  ];
}

function waiting(
  kind: Waiting['kind'],
  { approval }: Decided,
  id: string,
  account: string,
  amount_usdc: string,
  to: string | null,
): Waiting {
  return { id, kind, account, amount_usdc, to, expires_at: approval?.expires_at };
}
