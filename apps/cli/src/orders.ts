/** The output of commands that spend. */
import type { Schemas } from '#client';
import type { Context } from './context';
import { Exit, ExitCode } from './output/exit-codes';
import { card } from './output/output';

type Order = Schemas['Transfer'] | Schemas['Session'] | Schemas['Purse'];

/** Prints an order. @throws Exit if it waits for an approval */
export function printOrder<T extends Order>(context: Context, order: T, fieldsOf: (order: T) => Parameters<typeof card>[0]): void {
  context.print(order, card(fieldsOf(order)));
  if (order.status !== 'pending_approval') return;
  context.note(`It waits for an operator's approval${order.approval ? `, until ${order.approval.expires_at}` : ''}.`);
  throw new Exit(ExitCode.waitsForApproval);
}

/** Prints the outcome of a dry run, and exits as the real command would. @throws Exit */
export function printPrediction(context: Context, prediction: Schemas['DryRun'], more = ''): void {
  const { allowed, requires_approval: requiresApproval, decline } = prediction;
  const sentence = allowed ? `It would be ${requiresApproval ? 'left for an operator to approve' : 'executed'}.` : messageOf(decline);
  context.print(prediction, more + sentence);
  if (requiresApproval) throw new Exit(ExitCode.waitsForApproval);
  if (!allowed) throw new Exit(decline?.http_status === 402 ? ExitCode.declined : ExitCode.error);
}

function messageOf(decline: Schemas['DryRun']['decline']): string {
  const { message } = { message: undefined, ...decline };
  return typeof message === 'string' ? `It would be declined. ${message}` : 'It would be declined.';
}
