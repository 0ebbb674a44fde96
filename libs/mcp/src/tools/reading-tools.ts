/** Tools that pay nothing. */
import type { TransferListParams } from '#client';
import { accountOf } from './account';
import type { ApiDocument, ObjectSchema } from '../api-document';
import { NEAREST_LIMIT, nearestLimit } from '../results/nearest-limit';
import { readableResponse, readableSchema } from '../results/provider-response';
import { ArgumentError } from '../results/results';
import { changed, member, only } from '../schemas/schemas';
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
    description:
      'The rules of the account, what may still be spent now, when what was spent becomes available again, and whose limit is nearest: that of ' +
      'the account, or that of all members of its fleet.',
    annotations: READS,
    input: account,
    output: changed(api.success('accounts.spending'), { with: { nearest_limit: NEAREST_LIMIT } }),
    async run({ client, args, options }) {
      const spending = await client.accounts.spending(await accountOf(client, args, options), options);
      return { ...spending, nearest_limit: nearestLimit(spending) };
    },
  };
}

const OF_ANOTHER_KIND = 'must be a payment_id (pay_…), a transfer_id (tr_…), a session_id (sess_…) or a purse_id (purse_…)';

export function paymentStatus(api: ApiDocument): Tool<{ id: string }> {
  const id = {
    type: 'string',
    description: 'A payment_id, transfer_id, session_id or purse_id.',
  };
  return {
    name: 'payment_status',
    title: 'Status of a payment',
    description:
      'What became of a payment, a transfer, a session or a purse, by its id. Ask it while an outcome is in_progress or pending_approval. It pays nothing.',
    annotations: READS,
    input: { type: 'object', properties: { id }, required: ['id'], additionalProperties: false },
    output: outcomeSchema({
      payment: readableSchema(api.success('payments.show')),
      transfer: api.success('transfers.show'),
      session: api.success('sessions.show'),
      purse: api.success('purses.show'),
    }),
    async run({ client, args, options }) {
      if (args.id.startsWith('pay_')) {
        const payment = await client.payments.retrieve(args.id, options);
        return withOutcome('payment', readableResponse(payment));
      }
      if (args.id.startsWith('tr_')) {
        const transfer = await client.transfers.retrieve(args.id, options);
        return withOutcome('transfer', transfer);
      }
      if (args.id.startsWith('purse_')) {
        const purse = await client.purses.retrieve(args.id, options);
        return withOutcome('purse', purse);
      }
      if (!args.id.startsWith('sess_')) throw new ArgumentError(`id ${OF_ANOTHER_KIND}.`, [{ field: 'id', message: OF_ANOTHER_KIND }]);
      const session = await client.sessions.retrieve(args.id, options);
      return withOutcome('session', session);
    },
  };
}

interface ServiceArgs extends AccountArgs {
  query?: string;
  max_amount?: string;
  limit?: number;
}

export function findService(api: ApiDocument): Tool<ServiceArgs> {
  return {
    name: 'find_service',
    title: 'Find a paid service',
    description:
      'Lists paid APIs of the catalogues that the operator allows, which the account could pay now, cheapest first: URL, description and price of one call. ' +
      'Calls none of them. Use quote or pay with the URL; its price may have changed.',
    annotations: { ...READS, openWorldHint: true },
    input: { ...changed(api.query('services.list'), { without: ['cursor'], with: { account_id: ACCOUNT } }), additionalProperties: false },
    output: api.success('services.list'),
    async run({ client, args, options }) {
      const page = await client.services.list({ ...args, account_id: await accountOf(client, args, options) }, options);
      return { data: page.data, cursor: page.cursor, has_more: page.hasNextPage() };
    },
  };
}

/** How many of the newest transfers are looked through. */
const LOOKED_THROUGH = 100;

export function recipients(api: ApiDocument): Tool<AccountArgs> {
  const spending = api.success('accounts.spending');
  return {
    name: 'recipients',
    title: 'Who may be paid',
    description:
      'Whom the account may pay by transfer: allowed is the list of its policy (null: anybody), own_accounts are the accounts of this key, ' +
      'paid_before are the recipients of its newest settled transfers.',
    annotations: READS,
    input: account,
    output: {
      type: 'object',
      properties: {
        account_id: member(spending, 'account_id'),
        allowed: { type: ['array', 'null'], items: { type: 'string' } },
        own_accounts: { type: 'array', items: { type: 'object' } },
        paid_before: { type: 'array', items: { type: 'object' } },
      },
      required: ['account_id', 'allowed', 'own_accounts', 'paid_before'],
    },
    async run({ client, args, options }) {
      const account_id = await accountOf(client, args, options);
      const [{ policy }, { accounts }, page] = await Promise.all([
        client.accounts.spending(account_id, options),
        client.me(options),
        client.transfers.list({ account_id, status: 'settled', limit: LOOKED_THROUGH }, options),
      ]);
      // The newest transfer to each.
      const paid = page.data.filter((one, index, all) => all.findIndex(({ to }) => to === one.to) === index);
      const others = (accounts ?? []).filter((one) => one.account_id !== account_id);
      return {
        account_id,
        allowed: policy.allowed_counterparties ?? null,
        own_accounts: others.map(({ account_id: id, name }) => ({ account_id: id, name })),
        paid_before: paid.map(({ to, amount_usdc, memo, settled_at }) => ({ to, amount_usdc, memo, settled_at })),
      };
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
