/** Tools for what is set aside for many payments: sessions (MPP) and purses (x402). */
import type { PurseCreateParams, SessionCreateParams } from '#client';
import { accountOf } from './account';
import type { ApiDocument, ObjectSchema } from '../api-document';
import { changed } from '../schemas/schemas';
import { ACCOUNT, FINAL, KEY, outcomeSchema, REPEAT, SPENDS, withOutcome, type AccountArgs, type Tool } from './tool';

type SessionArgs = AccountArgs & Omit<SessionCreateParams, 'account_id'>;
type PurseArgs = AccountArgs & Omit<PurseCreateParams, 'account_id'>;

export function sessionOpen(api: ApiDocument): Tool<SessionArgs> {
  return {
    name: 'session_open',
    title: 'Open a session',
    description: `Sets a cap aside for many small payments to one provider (MPP); what is not spent comes back when it is closed. ${opens('session_id')}`,
    annotations: { ...SPENDS, destructiveHint: false },
    input: openInput(api, 'sessions.open'),
    output: outcomeSchema({ session: api.success('sessions.open') }, api.decline('sessions.open')),
    async run({ client, args, options }) {
      const session = await client.sessions.create({ ...args, account_id: await accountOf(client, args, options) }, options);
      return withOutcome('session', session);
    },
  };
}

export function sessionClose(api: ApiDocument): Tool<{ session_id: string }> {
  return {
    name: 'session_close',
    title: 'Close a session',
    description: `Ends a session: the provider gets what was spent, and the rest of the cap returns to the account. ${closes('session_id')}`,
    annotations: SPENDS,
    input: idInput('session_id', 'sess'),
    output: outcomeSchema({ session: api.success('sessions.close') }),
    async run({ client, args, options }) {
      const session = await client.sessions.close(args.session_id, options);
      return withOutcome('session', session);
    },
  };
}

export function purseOpen(api: ApiDocument): Tool<PurseArgs> {
  return {
    name: 'purse_open',
    title: 'Open a purse',
    description: `Sets an amount aside for many payments, several at once; what is not spent comes back when it ends. kind allowance: x402 payments of a fixed price, for minutes. kind channel: sellers that meter what a call used, for hours or days. ${opens('purse_id')}`,
    annotations: { ...SPENDS, destructiveHint: false },
    input: openInput(api, 'purses.open'),
    output: outcomeSchema({ purse: api.success('purses.open') }, api.decline('purses.open')),
    async run({ client, args, options }) {
      const purse = await client.purses.create({ ...args, account_id: await accountOf(client, args, options) }, options);
      return withOutcome('purse', purse);
    },
  };
}

export function purseClose(api: ApiDocument): Tool<{ purse_id: string }> {
  return {
    name: 'purse_close',
    title: 'Close a purse',
    description: `Ends a purse: what was not spent returns to the account. ${closes('purse_id')}`,
    annotations: SPENDS,
    input: idInput('purse_id', 'purse'),
    output: outcomeSchema({ purse: api.success('purses.close') }),
    async run({ client, args, options }) {
      const purse = await client.purses.close(args.purse_id, options);
      return withOutcome('purse', purse);
    },
  };
}

const opens = (id: string): string => `Pay out of it with pay and its ${id}. A person may have to approve it first. ${REPEAT} ${FINAL}`;
const closes = (id: string): string => `After a time-out ask payment_status with its ${id}.`;

function openInput(api: ApiDocument, operation: string): ObjectSchema {
  return changed(api.body(operation), {
    optional: ['account_id', 'idempotency_key'],
    with: { account_id: ACCOUNT, idempotency_key: KEY },
  });
}

function idInput(name: string, prefix: string): ObjectSchema {
  const id = { type: 'string', pattern: `^${prefix}_\\w{1,64}$` };
  return { type: 'object', properties: { [name]: id }, required: [name], additionalProperties: false };
}
