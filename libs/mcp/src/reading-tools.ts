/** Tools that pay nothing. */
import type { TransferListParams } from '#client';
import { accountOf } from './account';
import type { ApiDocument, ObjectSchema } from './api-document';
import { readableResponse, readableSchema } from './provider-response';
import { only } from './schemas';
import { ACCOUNT, outcomeSchema, READS, withOutcome, type AccountArgs, type Tool } from './tool';

const account: ObjectSchema = { type: 'object', properties: { account_id: ACCOUNT }, additionalProperties: false };

export function balance(api: ApiDocument): Tool<AccountArgs> {
  return {
    name: 'balance',
    title: 'Balance',
    description: 'The USDC that the account holds, read from the chain. A policy may allow less of it to be spent: see spend_left.',
    annotations: READS,
    input: account,
    output: only(api.success('accounts.spending'), ['account_id', 'balance_usdc', 'as_of']),
    async run({ client, args, options }) {
      const { account_id, balance_usdc, as_of } = await client.accounts.spending(await accountOf(client, args, options), options);
      return { account_id, balance_usdc, as_of };
    },
  };
}

export function spendLeft(api: ApiDocument): Tool<AccountArgs> {
  return {
    name: 'spend_left',
    title: 'What may still be spent',
    description: 'The rules of the account, what may still be spent now, and when what was spent becomes available again.',
    annotations: READS,
    input: account,
    output: api.success('accounts.spending'),
    run: async ({ client, args, options }) => ({ ...(await client.accounts.spending(await accountOf(client, args, options), options)) }),
  };
}

export function paymentStatus(api: ApiDocument): Tool<{ id: string }> {
  const id = { type: 'string', pattern: '^(pay|tr|sess)_\\w{1,64}$', description: 'A payment_id, transfer_id or session_id.' };
  return {
    name: 'payment_status',
    title: 'Status of a payment',
    description:
      'What became of a payment, a transfer or a session, by its id. Ask it while an outcome is in_progress or pending_approval. It pays nothing.',
    annotations: READS,
    input: { type: 'object', properties: { id }, required: ['id'], additionalProperties: false },
    output: outcomeSchema({
      payment: readableSchema(api.success('payments.show')),
      transfer: api.success('transfers.show'),
      session: api.success('sessions.show'),
    }),
    async run({ client, args, options }) {
      if (args.id.startsWith('pay_')) {
        const payment = await client.payments.retrieve(args.id, options);
        return withOutcome(payment.status, { payment: readableResponse(payment) });
      }
      if (args.id.startsWith('tr_')) {
        const transfer = await client.transfers.retrieve(args.id, options);
        return withOutcome(transfer.status, { transfer });
      }
      const session = await client.sessions.retrieve(args.id, options);
      return withOutcome(session.status, { session });
    },
  };
}

export function transfers(api: ApiDocument): Tool<NonNullable<TransferListParams>> {
  return {
    name: 'transfers',
    title: 'Transfers',
    description: 'Lists the transfers of the accounts of this key, newest first. Finds one by its idempotency_key after a lost answer.',
    annotations: READS,
    input: { ...api.query('transfers.list'), additionalProperties: false },
    output: api.success('transfers.list'),
    async run({ client, args, options }) {
      const page = await client.transfers.list(args, options);
      return { data: page.data, cursor: page.cursor, has_more: page.hasNextPage() };
    },
  };
}
