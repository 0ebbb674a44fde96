/** Tools for what is set aside for many payments: sessions (MPP) and purses (x402). */
import type { AgentPayments, PurseCreateParams, RequestOptions, Schemas, SessionCreateParams } from '#client';
import { accountOf } from './account';
import type { ApiDocument, ObjectSchema } from '../api-document';
import { changed } from '../schemas/schemas';
import { ACCOUNT, FINAL, KEY, outcomeSchema, REPEAT, SPENDS, withOutcome, type AccountArgs, type Tool } from './tool';

/** The differences between sessions and purses. */
interface Kind<Params> {
  noun: 'session' | 'purse';
  /** The prefix of its ids. */
  prefix: 'sess' | 'purse';
  opens: string;
  closes: string;
  callsOf(client: AgentPayments): {
    create(params: Params, options: RequestOptions): Promise<Schemas['Session'] | Schemas['Purse']>;
    close(id: string, options: RequestOptions): Promise<Schemas['Session'] | Schemas['Purse']>;
  };
}

const SESSION: Kind<SessionCreateParams> = {
  noun: 'session',
  prefix: 'sess',
  opens: 'Sets a cap aside for many small payments to one provider (MPP); what is not spent comes back when it is closed.',
  closes: 'Ends a session: the provider gets what was spent, and the rest of the cap returns to the account.',
  callsOf: ({ sessions }) => sessions,
};

const PURSE: Kind<PurseCreateParams> = {
  noun: 'purse',
  prefix: 'purse',
  opens:
    'Sets an amount aside for many payments, several at once; what is not spent comes back when it ends. kind allowance: x402 payments of a fixed ' +
    'price, for minutes. kind channel: sellers that meter what a call used, for hours or days.',
  closes: 'Ends a purse: what was not spent returns to the account.',
  callsOf: ({ purses }) => purses,
};

export const sessionOpen = (api: ApiDocument) => openTool(api, SESSION);
export const sessionClose = (api: ApiDocument) => closeTool(api, SESSION);
export const purseOpen = (api: ApiDocument) => openTool(api, PURSE);
export const purseClose = (api: ApiDocument) => closeTool(api, PURSE);

function openTool<Params>(api: ApiDocument, { noun, opens, callsOf }: Kind<Params>): Tool<AccountArgs & Omit<Params, 'account_id'>> {
  const operation = `${noun}s.open`;
  return {
    name: `${noun}_open`,
    title: `Open a ${noun}`,
    description: `${opens} Pay out of it with pay and its ${noun}_id. A person may have to approve it first. ${REPEAT} ${FINAL}`,
    annotations: { ...SPENDS, destructiveHint: false },
    input: openInput(api, operation),
    output: outcomeSchema({ [noun]: api.success(operation) }, api.decline(operation)),
    async run({ client, args, options }) {
      const params = { ...args, account_id: await accountOf(client, args, options) } as Params;
      return withOutcome(noun, await callsOf(client).create(params, options));
    },
  };
}

function closeTool<Params>(api: ApiDocument, { noun, prefix, closes, callsOf }: Kind<Params>): Tool<Record<string, string>> {
  const name = `${noun}_id`;
  return {
    name: `${noun}_close`,
    title: `Close a ${noun}`,
    description: `${closes} After a time-out ask payment_status with its ${name}.`,
    annotations: SPENDS,
    input: idInput(name, prefix),
    output: outcomeSchema({ [noun]: api.success(`${noun}s.close`) }),
    async run({ client, args, options }) {
      return withOutcome(noun, await callsOf(client).close(args[name] ?? '', options));
    },
  };
}

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
