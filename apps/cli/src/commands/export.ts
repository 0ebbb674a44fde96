import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { AgentPayments, TransactionListParams } from '#client';
import { given } from '../options';
import type { Context, Register } from '../context';

interface ExportOptions {
  account?: string;
  type?: TransactionListParams['type'];
  status?: TransactionListParams['status'];
  category?: string;
  counterparty?: string;
  reference?: string;
  since?: string;
  until?: string;
  output?: string;
}

const PAGE_SIZE = 100;

/** `export` */
export const exportRecords: Register = (program, context) => {
  program
    .command('export')
    .description('write the records of all accounts as CSV (with --json: as one JSON array), newest first')
    .option('--output <file>', 'default: stdout')
    .option('--account <id>', 'only of this account')
    .option('--type <type>', 'transfer, session_settlement, rejection or deposit')
    .option('--status <status>', 'settled or rejected')
    .option('--category <name>')
    .option('--counterparty <address>')
    .option('--reference <text>')
    .option('--since <time>', 'ISO 8601')
    .option('--until <time>', 'ISO 8601')
    .action(async ({ account, output, ...filters }: ExportOptions) => {
      const query = given({ account_id: account, ...filters });
      const client = context.client();
      const source = context.json ? Readable.from(jsonArray(client, query)) : readable(await client.transactions.exportCsv(query));
      await write(context, source, output);
    });
};

/** `statement` */
export const statement: Register = (program, context) => {
  program
    .command('statement')
    .description('the records of an account in a month, between two balances, as CSV (with --json: as JSON)')
    .argument('<account>', 'its id or handle')
    .option('--month <month>', 'such as 2026-11; default: the running one')
    .option('--output <file>', 'default: stdout')
    .action(async (id: string, { month, output }: { month?: string; output?: string }) => {
      const { accounts } = context.client();
      const query = given({ month });
      const json = async () => Readable.from([`${JSON.stringify(await accounts.statement(id, query), null, 2)}\n`]);
      await write(context, context.json ? await json() : readable(await accounts.statementCsv(id, query)), output);
    });
};

/** Writes to a file, or else to stdout. */
async function write(context: Context, source: Readable, output: string | undefined): Promise<void> {
  const { signal } = context;
  if (output === undefined) return pipeline(source, process.stdout, { signal, end: false });
  // A file with this name is complete: an interrupted export leaves nothing.
  const part = `${output}.part`;
  try {
    await pipeline(source, createWriteStream(part), { signal });
    await rename(part, output);
  } finally {
    await rm(part, { force: true });
  }
  const { size: bytes } = await stat(output);
  context.print({ output, bytes }, `${bytes} bytes are in ${output}.`);
}

function readable(stream: globalThis.ReadableStream<Uint8Array>): Readable {
  // The type of the global stream and that of node:stream/web are declared separately.
  return Readable.fromWeb(stream as ReadableStream<Uint8Array>);
}

async function* jsonArray(client: AgentPayments, query: TransactionListParams): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const record of client.transactions.list({ ...query, limit: PAGE_SIZE })) {
    yield separator + JSON.stringify(record);
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}
