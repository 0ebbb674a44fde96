/**
 * Compares exchanges with docs/openapi.json: each that the end-to-end tests make fails its test if its path, status, header or member is
 * undocumented. The generator writes the document from the code, so that a difference means a type or an `@Answers` that is not true.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

export interface Exchange {
  method: string;
  /** With its query. */
  path: string;
  requestHeaders: Record<string, string>;
  requestBody: unknown;
  status: number;
  headers: Headers;
  body: unknown;
}

type Json = Record<string, any>;

const FILE = join(__dirname, '..', '..', 'docs', 'openapi.json');
const BASE = 'openapi.json';
/** The API. Other paths are the dashboard's, its files', or none. */
const OURS = /^\/(v1\/|health$|ready$)/;
/** Everything that the document must describe where it occurs. */
const REQUEST_HEADERS = ['idempotency-key', 'if-match', 'dry-run'];
const RESPONSE_HEADERS = ['etag', 'idempotent-replayed', 'retry-after', 'www-authenticate'];
/** Statuses of requests that may be bad on purpose. Their responses are checked, and they are not. */
const REFUSED = [400, 401, 403, 404, 413, 415];

let contract: Contract | undefined;

/** @throws Error which says what is undocumented. */
export function checkExchange(exchange: Exchange): void {
  contract ??= new Contract(JSON.parse(readFileSync(FILE, 'utf8')));
  const [difference, ...more] = contract.differences(exchange);
  if (difference === undefined) return;
  const { method, path, status, body } = exchange;
  throw new Error(
    `${method} ${path} → ${status} differs from docs/openapi.json: ${[difference, ...more].slice(0, 5).join('; ')}.\n` +
      `Body: ${JSON.stringify(body)?.slice(0, 600)}\nCONTRIBUTING.md, "Add an endpoint", says where the document gets this from.`,
  );
}

/** @throws Error which says how the delivery of an event differs from the document's webhooks. */
export function checkDelivery({ headers, event }: { headers: Record<string, unknown>; event: { type: string } }): void {
  contract ??= new Contract(JSON.parse(readFileSync(FILE, 'utf8')));
  const differences = contract.deliveryDifferences(headers, event);
  if (differences.length > 0) throw new Error(`The delivery of ${event.type} differs from docs/openapi.json: ${differences.join('; ')}.`);
}

class Contract {
  // `npm run lint:openapi` validates the document; every test file would do it again. Small validators need no optimized code.
  private readonly ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateFormats: true,
    validateSchema: false,
    code: { optimize: false },
  });
  private readonly routes: { pattern: RegExp; template: string; item: Json }[];
  private readonly validators = new Map<string, ValidateFunction>();

  constructor(private readonly document: Json) {
    addFormats(this.ajv);
    for (const schema of Object.values<Json>(document.components.schemas)) close(schema);
    close(document.paths);
    this.ajv.addSchema({ ...document, $id: BASE });
    this.routes = Object.entries<Json>(document.paths)
      .map(([template, item]) => ({ template, item, pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`) }))
      // A path without parameters comes before one with a parameter in the same place: payments/authorize before payments/{id}.
      .sort((one, other) => one.template.split('{').length - other.template.split('{').length);
  }

  differences(exchange: Exchange): string[] {
    const { pathname, searchParams } = new URL(exchange.path, 'http://service');
    if (!OURS.test(pathname)) return [];
    const route = this.routes.find(({ pattern, item }) => pattern.test(pathname) && item[exchange.method.toLowerCase()]);
    if (!route) return exchange.status === 404 || exchange.status === 405 ? [] : ['the path or its method is undocumented'];
    const pointer = `#/paths/${route.template.replaceAll('~', '~0').replaceAll('/', '~1')}/${exchange.method.toLowerCase()}`;
    const operation: Json = route.item[exchange.method.toLowerCase()];
    const isRefused = REFUSED.includes(exchange.status) || exchange.status >= 500;
    return [
      ...this.responseDifferences(exchange, operation, pointer),
      ...(isRefused ? [] : this.requestDifferences(exchange, searchParams, operation, pointer)),
    ];
  }

  deliveryDifferences(headers: Record<string, unknown>, event: { type: string }): string[] {
    const webhook: Json | undefined = this.document.webhooks[event.type];
    if (!webhook) return ['the event type is undocumented'];
    const required: string[] = webhook.post.parameters.flatMap(({ name, required }: Json) => (required ? [name] : []));
    const missing = required.filter((name) => headers[name.toLowerCase()] === undefined);
    const body = this.invalid(event, `#/webhooks/${event.type}/post/requestBody/content/application~1json/schema`, 'event');
    return [...missing.map((name) => `the header ${name} is missing`), ...body];
  }

  private responseDifferences({ status, headers, body }: Exchange, operation: Json, pointer: string): string[] {
    const given: Json | undefined = operation.responses[status];
    if (!given) return [`the status ${status} is undocumented: add it, or its error code, to the @Answers of ${operation.operationId}`];
    const at = given.$ref ?? `${pointer}/responses/${status}`;
    const response: Json = this.resolve(given);
    const known = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase());
    const undocumented = RESPONSE_HEADERS.filter((name) => headers.has(name) && !known.includes(name));
    return [
      ...(headers.has('x-request-id') ? [] : ['the header X-Request-Id is missing']),
      ...undocumented.map((name) => `the response header ${name} is undocumented`),
      ...this.bodyDifferences(body, response.content, at, 'response'),
    ];
  }

  private requestDifferences(exchange: Exchange, query: URLSearchParams, operation: Json, pointer: string): string[] {
    const parameters: Json[] = operation.parameters.map((parameter: Json) => this.resolve(parameter));
    const names = (place: string): string[] =>
      parameters.filter((each) => each.in === place).map((each) => String(each.name).toLowerCase());
    const sent = Object.keys(exchange.requestHeaders).map((name) => name.toLowerCase());
    const headers = REQUEST_HEADERS.filter((name) => sent.includes(name) && !names('header').includes(name));
    const queries = [...query].flatMap(([name, text]): string[] => {
      const index = parameters.findIndex((each) => each.in === 'query' && each.name === name);
      if (index < 0) return [`the query parameter ${name} is undocumented`];
      const schema: Json = parameters[index]?.schema ?? {};
      // A parameter that may be repeated is a list.
      const value = schema.type === 'array' ? query.getAll(name) : schema.type === 'integer' ? Number(text) : text;
      return this.invalid(value, `${pointer}/parameters/${index}/schema`, `query.${name}`);
    });
    const isEmpty = exchange.requestBody === undefined || JSON.stringify(exchange.requestBody) === '{}';
    const body = operation.requestBody
      ? this.invalid(exchange.requestBody ?? {}, `${pointer}/requestBody/content/application~1json/schema`, 'request')
      : isEmpty
        ? []
        : ['the request has a body, and the document has none'];
    return [...headers.map((name) => `the request header ${name} is undocumented`), ...queries, ...body];
  }

  private bodyDifferences(body: unknown, content: Json | undefined, at: string, what: string): string[] {
    if (content) return this.invalid(body, `${at}/content/application~1json/schema`, what);
    return body === null ? [] : ['the response has a body, and the document has none'];
  }

  private invalid(value: unknown, pointer: string, what: string): string[] {
    const validate = this.validators.get(pointer) ?? this.ajv.compile({ $ref: `${BASE}${encodeURI(pointer)}` });
    this.validators.set(pointer, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) => {
      const name: unknown = params.additionalProperty ?? params.allowedValue ?? params.allowedValues;
      return `${what}${instancePath} ${message}${name === undefined ? '' : ` (${JSON.stringify(name)})`}`;
    });
  }

  private resolve(object: Json): Json {
    const path: unknown = object.$ref;
    if (typeof path !== 'string') return object;
    return path
      .slice(2)
      .split('/')
      .reduce((part: Json, name) => part[name], this.document);
  }
}

/** Closes every object: the document allows members to be added later, and a test must notice one that it does not name. */
function close(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return;
  const object: Json = schema;
  if (object.type === 'object' || (Array.isArray(object.type) && object.type.includes('object'))) {
    if (object.properties) object.additionalProperties ??= false;
  }
  for (const [name, part] of Object.entries(object)) if (name !== 'example' && name !== 'examples') close(part);
}
