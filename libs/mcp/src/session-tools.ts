/** Tools for sessions: a cap that is set aside for many payments to one provider. */
import type { SessionCreateParams } from '#client';
import { accountOf } from './account';
import type { ApiDocument } from './api-document';
import { changed } from './schemas';
import { ACCOUNT, FINAL, KEY, outcomeSchema, REPEAT, SPENDS, withOutcome, type AccountArgs, type Tool } from './tool';

type OpenArgs = AccountArgs & Omit<SessionCreateParams, 'account_id'>;

export function sessionOpen(api: ApiDocument): Tool<OpenArgs> {
  return {
    name: 'session_open',
    title: 'Open a session',
    description:
      'Sets a cap aside for many small payments to one provider; what is not spent comes back when it is closed. Pay out of it with pay and its session_id. ' +
      `A person may have to approve it first. ${REPEAT} ${FINAL}`,
    annotations: { ...SPENDS, destructiveHint: false },
    input: changed(api.body('sessions.open'), {
      optional: ['account_id', 'idempotency_key'],
      with: { account_id: ACCOUNT, idempotency_key: KEY },
    }),
    output: outcomeSchema({ session: api.success('sessions.open') }, api.decline('sessions.open')),
    async run({ client, args, options }) {
      const account_id = await accountOf(client, args, options);
      const session = await client.sessions.create({ ...args, account_id }, options);
      return withOutcome(session.status, { session });
    },
  };
}

export function sessionClose(api: ApiDocument): Tool<{ session_id: string }> {
  const session_id = { type: 'string', pattern: '^sess_\\w{1,64}$' };
  return {
    name: 'session_close',
    title: 'Close a session',
    description:
      'Ends a session: the provider gets what was spent, and the rest of the cap returns to the account. After a time-out ask payment_status with its session_id.',
    annotations: SPENDS,
    input: { type: 'object', properties: { session_id }, required: ['session_id'], additionalProperties: false },
    output: outcomeSchema({ session: api.success('sessions.close') }),
    async run({ client, args, options }) {
      const session = await client.sessions.close(args.session_id, options);
      return withOutcome(session.status, { session });
    },
  };
}
