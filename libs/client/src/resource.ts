/** The common part of the groups of calls. */
import createFetchClient, { type Client } from 'openapi-fetch';
import {
  ApprovalRequired,
  APITimeoutError,
  NotSettledError,
  type Payment,
  type Purse,
  type Session,
  SignatureRequired,
  type Transfer,
} from './errors';
import { toUsdc, type Amount } from './money';
import { type PageBody, PagePromise } from './pagination';
import type { components, operations, paths } from './schema';
import { pause, type RequestOptions, type Transport } from './transport';

export type Schemas = components['schemas'];

/** The query of an operation. */
export type Query<Operation extends keyof operations> = NonNullable<operations[Operation]['parameters']['query']>;

/** The parameters of a request whose amounts may be given as bigint, and whose key the client makes if it is omitted. */
export type Params<Body, Amounts extends keyof Body = never> = Omit<Body, Amounts | 'idempotency_key'> & {
  [Name in Amounts]: undefined extends Body[Name] ? Amount | undefined : Amount;
} & ('idempotency_key' extends keyof Body ? { idempotency_key?: string } : unknown);

/** Options of a policy change. */
export interface PolicyUpdateOptions extends RequestOptions {
  /** The version that the change is based on. Another one throws `PreconditionFailedError`. */
  ifVersion?: number;
}

export interface WaitOptions extends RequestOptions {
  /** How long to wait in all, in milliseconds. Default: a minute. */
  within?: number;
  /** Whether to go on waiting while an operator must approve it. Default: throw `ApprovalRequired`. */
  forApproval?: boolean;
}

/** The first pause between two looks, in milliseconds. It grows by half each time. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
const WITHIN_MS = 60_000;

/** The service, as openapi-fetch calls it. @internal */
export class Connection {
  readonly http: Client<paths>;

  constructor(
    baseUrl: string,
    apiKey: string,
    private readonly transport: Transport,
  ) {
    this.http = createFetchClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${apiKey}`, 'User-Agent': 'agent-payments-js' } });
  }

  /** The options of a call that may be repeated: a read, or one with an idempotency key. */
  repeatable(options: RequestOptions = {}) {
    return { fetch: this.transport.fetchFor(options, true), headers: options.headers ?? {} };
  }

  /** The options of a call that the service would execute twice. */
  once(options: RequestOptions = {}) {
    return { fetch: this.transport.fetchFor(options, false), headers: options.headers ?? {} };
  }
}

export class Resource {
  /** @internal */
  constructor(/** @internal */ protected readonly connection: Connection) {}

  /** @internal */
  protected get http(): Client<paths> {
    return this.connection.http;
  }

  /** A list that is read page by page. `read` calls for the page that its query names: the first one, or the one at a cursor. */
  protected pages<Q extends object, T>(
    query: Q,
    read: (query: Q & { cursor?: string }) => Promise<{ data?: PageBody<T> | string }>,
  ): PagePromise<T> {
    return new PagePromise((cursor) => bodyOf(read({ ...query, ...(cursor && { cursor }) })));
  }
}

/** The JSON body of a response. The transport has thrown if there was an error. */
export async function bodyOf<T>(call: Promise<{ data?: T }>): Promise<Exclude<T, string>> {
  const { data } = await call;
  if (data === undefined) throw new Error('The response has no body.');
  // A string is CSV or a stream, which these calls do not ask for.
  return data as Exclude<T, string>;
}

/** The result of a request that was not a dry run. */
export async function madeBy<T extends object | string>(call: Promise<{ data?: T }>): Promise<Exclude<T, { dry_run: boolean } | string>> {
  return (await bodyOf(call)) as Exclude<T, { dry_run: boolean } | string>;
}

/** The result of a request that was not a dry run, and that may need the operator's signature. @throws SignatureRequired */
export async function signedBy<T extends object>(
  call: Promise<{ data?: T }>,
): Promise<Exclude<T, Schemas['SignatureRequired'] | { dry_run: boolean }>> {
  const body = await bodyOf<object>(call);
  if (isSignatureRequired(body)) throw new SignatureRequired(body);
  return body as Exclude<T, Schemas['SignatureRequired'] | { dry_run: boolean }>;
}

function isSignatureRequired(body: object): body is Schemas['SignatureRequired'] {
  return 'status' in body && body.status === 'signature_required';
}

/** The result of a dry run. */
export async function predictedBy<T extends object | string>(call: Promise<{ data?: T }>): Promise<Extract<T, { dry_run: boolean }>> {
  return (await bodyOf(call)) as Extract<T, { dry_run: boolean }>;
}

/** The path parameter of a call about one object. */
export const by = (id: string): { params: { path: { id: string } } } => ({ params: { path: { id } } });

/** The header of a creation that may be repeated. The key is made if the caller gives none. */
export const keyOf = ({ idempotencyKey = newKey() }: RequestOptions): { 'Idempotency-Key': string } => ({
  'Idempotency-Key': idempotencyKey,
});

/** The header of a change that is based on a version. */
export const ifMatch = ({ ifVersion }: PolicyUpdateOptions): { 'If-Match'?: string } =>
  ifVersion === undefined ? {} : { 'If-Match': `"${ifVersion}"` };

/** The header of a dry run. */
export const DRY_RUN = { header: { 'Dry-Run': 'true' } } as const;

/** The parameters with a key, and with their amounts as decimal strings. The key is made once for a call: each attempt sends the same one. */
export function prepared<Given extends { idempotency_key?: string }, Name extends keyof Given>(
  params: Given,
  amounts: readonly Name[],
  options: RequestOptions = {},
): Omit<Given, Name> & { idempotency_key: string } & { [Each in Name]: string } {
  const converted = withAmounts(params, amounts);
  return { ...converted, idempotency_key: params.idempotency_key ?? options.idempotencyKey ?? newKey() };
}

/** The parameters with these amounts as decimal strings. */
export function withAmounts<Given, Name extends keyof Given>(
  params: Given,
  amounts: readonly Name[],
): Omit<Given, Name> & { [Each in Name]: string } {
  const strings = amounts.map((name) => [name, toUsdc(params[name] as Amount)]);
  return { ...params, ...Object.fromEntries(strings) };
}

export function newKey(): string {
  return globalThis.crypto.randomUUID();
}

/**
 * Reads an object until its outcome is known. @throws ApprovalRequired, NotSettledError, and APITimeoutError if it takes longer than
 * `within`: it may settle later.
 */
export async function settled<T extends Transfer | Session | Purse | Payment>(
  read: () => Promise<T>,
  outcomes: Record<T['status'], 'settled' | 'failed' | 'waiting' | 'approval'>,
  { within = WITHIN_MS, forApproval = false, signal }: WaitOptions = {},
): Promise<T> {
  const deadline = Date.now() + within;
  for (let delay = FIRST_PAUSE_MS; ; delay = Math.min(delay * 1.5, MAX_PAUSE_MS)) {
    const object = await read();
    const outcome = outcomes[object.status as T['status']];
    if (outcome === 'settled') return object;
    if (outcome === 'failed') throw new NotSettledError(object);
    if (outcome === 'approval' && !forApproval && 'approval' in object) throw new ApprovalRequired(object);
    if (Date.now() + delay > deadline) throw new APITimeoutError(`Its outcome is not known after ${within} ms: it may settle later.`);
    await pause(delay, signal);
  }
}
