import { Buffer } from 'node:buffer';
import type { Schemas } from '#client';
import { Exit, ExitCode, UsageError } from '../../output/exit-codes';
import { amount, given, several } from '../../options';
import { printPrediction } from '../../orders';
import { plain, table } from '../../output/output';
import type { Register } from '../../context';

type Quote = Schemas['Quote'];
type Payment = Schemas['Payment'];
interface PayOptions {
  account?: string;
  maxAmount: string;
  method?: Schemas['ProviderRequest']['method'];
  header?: string[];
  data?: string;
  session?: string;
  purse?: string;
  reference?: string;
  idempotencyKey?: string;
  dryRun?: boolean;
}

const QUOTE_COLUMNS = {
  protocol: ({ protocol }: Quote) => protocol,
  method: ({ method }: Quote) => method,
  price: ({ amount_usdc }: Quote) => amount_usdc,
  payee: ({ payee }: Quote) => payee,
  category: ({ category }: Quote) => category,
  chosen: ({ chosen }: Quote) => (chosen ? 'yes' : ''),
};
/** Statuses of a provider's response from here on are errors. */
const FIRST_ERROR_STATUS = 400;

/** `pay` */
export const pay: Register = (program, context) => {
  program
    .command('pay')
    .description('call a paid API (MPP, x402): pays what it asks, at most --max-amount, and prints its response')
    .argument('<url>')
    .requiredOption('--max-amount <usdc>', 'most that the call may cost', amount)
    .option('--account <id>', 'which pays (default: APS_ACCOUNT, or the only one of an agent key)')
    .option('-X, --method <method>', 'default: GET, or POST with --data')
    .option('-H, --header <name: value>', 'repeat it for more', several)
    .option('-d, --data <text>', 'the body')
    .option('--session <id>', 'pay from this session')
    .option('--purse <id>', 'pay from this purse')
    .option('--reference <text>')
    .option('--idempotency-key <key>', 'to repeat the command without paying twice')
    .option('--dry-run', 'print the prices, and pay nothing')
    .action(async (url: string, options: PayOptions) => {
      const client = context.client();
      const { account, maxAmount: max_amount, session, purse, reference, idempotencyKey } = options;
      const more = given({ session_id: session, purse_id: purse, reference, idempotency_key: idempotencyKey });
      const params = { account_id: await context.account(client, account), max_amount, request: requestOf(url, options), ...more };
      if (options.dryRun === true) {
        const prediction = await client.payments.dryRun(params);
        const quotes =
          prediction.quotes.length === 0 ? (prediction.message ?? 'It asks for nothing.') : table(QUOTE_COLUMNS, prediction.quotes);
        return printPrediction(context, prediction, `${quotes}\n`);
      }
      const created = await client.payments.create(params);
      const payment = created.status === 'unknown' ? await client.payments.waitUntilSettled(created) : created;
      printPayment(payment);
      if ((payment.response?.status ?? 0) >= FIRST_ERROR_STATUS) throw new Exit(ExitCode.error);
    });

  function printPayment(payment: Payment): void {
    const { payment_id, status, amount_usdc, response } = payment;
    context.note(`${plain(payment_id)}: ${status}, ${amount_usdc} USDC; the API answered ${response?.status ?? 'nothing that was kept'}.`);
    if (context.json) context.print(payment, '');
    else if (response) process.stdout.write(Buffer.from(response.body_base64, 'base64'));
  }
};

/** The request to the API. @throws UsageError for a header without a colon */
export function requestOf(url: string, { method, header = [], data }: PayOptions): Schemas['ProviderRequest'] {
  const headers = Object.fromEntries(
    header.map((line) => {
      const colon = line.indexOf(':');
      if (colon < 1) throw new UsageError(`A header is "name: value": ${line}`);
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
  return { url, method: method ?? (data === undefined ? 'GET' : 'POST'), ...(header.length > 0 && { headers }), ...given({ body: data }) };
}
