import { randomBytes } from 'node:crypto';
import { follow } from '../events/follow';
import { forward, SECRET_PREFIX } from '../events/forward';
import { UsageError } from '../output/exit-codes';
import { several } from '../options';
import { plain } from '../output/output';
import type { Schemas } from '#client';
import type { Register } from '../context';

type Event = Schemas['Event'];
interface ListenOptions {
  forwardTo?: string;
  event?: string[];
  account?: string;
}

const SECRET_BYTES = 32;

/** `listen` */
export const listen: Register = (program, context) => {
  program
    .command('listen')
    .description('print events as they happen, and forward them signed to a local URL; with --json one event a line')
    .option('--forward-to <url>', 'send each event there, signed as a webhook’s delivery')
    .option('--event <type>', 'only this type; repeat it for more', several)
    .option('--account <id>', 'only of this account')
    .action(async ({ forwardTo, event: types, account }: ListenOptions) => {
      if (forwardTo !== undefined && !/^https?:/.test(forwardTo)) throw new UsageError('--forward-to must begin with http:// or https://.');
      const secret = process.env.APS_WEBHOOK_SECRET || SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
      if (!secret.startsWith(SECRET_PREFIX)) throw new UsageError(`APS_WEBHOOK_SECRET must begin with ${SECRET_PREFIX}.`);
      const { events } = context.client();
      const { signal } = context;
      const onStart = (): void => {
        if (forwardTo !== undefined) context.note(`The signing secret is ${secret}`);
        context.note(`Ready${forwardTo === undefined ? '' : `: forwarding to ${forwardTo}`}. Ctrl-C ends it.`);
      };
      const onOutage = (message: string): void => context.note(`${message} Still trying.`);
      for await (const event of follow(events, { account, signal, onStart, onOutage })) {
        if (types !== undefined && !types.includes(event.type)) continue;
        process.stdout.write(`${context.json ? JSON.stringify(event) : lineOf(event)}\n`);
        if (forwardTo !== undefined) context.note(`  → ${await forward(event, { url: forwardTo, secret, signal })}  ${event.id}`);
      }
    });
};

function lineOf({ created_at, type, id, data }: Event): string {
  const fields = Object.entries(data).flatMap(([name, value]) => (typeof value === 'object' ? [] : [`${name}=${plain(value)}`]));
  return `${created_at}  ${type.padEnd(22)} ${id}  ${fields.join(' ')}`;
}
