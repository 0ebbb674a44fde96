/** Builds the OpenAPI document: routes from Nest, bodies and queries from the checks of the DTOs, responses from the types of the handlers. */
import { fieldsOf, type FieldSchema, type JsonSchema } from '../../api/src/http/validation/schemas';
import type { ErrorCode } from '../../api/src/http/answers';
import { ErrorResponses } from './error-responses';
import { EventSchemas } from './event-schemas';
import { EXAMPLES } from './examples';
import { KEY_FIELD } from '../../api/src/http/headers';
import { REQUEST_HEADERS, REQUEST_ID, RESPONSE_HEADERS } from './headers';
import { headerRefs, json, type Member, refTo } from './parts';
import { INFO, PATH_PARAMETERS, TAGS } from './prose';
import { readRoutes, type Route } from './routes';
import { componentName, Source, type Handler } from './source';

/** @param root The directory of the repository. @throws Error which says what is missing and where to write it. */
export async function buildDocument(root: string, version: string): Promise<Member> {
  const routes = await readRoutes();
  const source = new Source(root);
  const builder = new Builder(source);
  const paths: Record<string, Member> = {};
  for (const route of routes) paths[route.path] = { ...paths[route.path], [route.method]: builder.operation(route) };
  const events = new EventSchemas(source);
  const webhooks = events.webhooks();
  const used = new Set(routes.map(tagOf));
  return {
    openapi: '3.1.1',
    info: { ...INFO, version },
    servers: [{ url: '/', description: 'The service that serves this document.' }],
    security: [{ key: [] }],
    tags: Object.entries(TAGS).flatMap(([name, description]) => (used.has(name) ? [{ name, description }] : [])),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'An operator key (`aps_op_…`) may call everything, an agent key (`aps_ag_…`) what says so, for its accounts.',
        },
      },
      schemas: sorted({ ...builder.schemas, ...builder.errors.schemas, ...source.components, ...events.schemas }),
      parameters: { requestId: REQUEST_ID },
      headers: RESPONSE_HEADERS,
      responses: sorted({ ...builder.errors.responses, HeadersTooLarge: HEADERS_TOO_LARGE }),
    },
  };
}

class Builder {
  readonly schemas: Record<string, JsonSchema> = {};
  readonly errors: ErrorResponses;

  constructor(private readonly source: Source) {
    this.errors = new ErrorResponses(source);
  }

  operation(route: Route): Member {
    const { controller, handler, access, method } = route;
    const described = this.source.handler(controller.name, handler);
    const id = operationId(route);
    const example = EXAMPLES[id];
    const headers = described.parameters.flatMap(({ decorator }) => REQUEST_HEADERS[decorator] ?? []);
    const takesBody = method !== 'get' && method !== 'delete';
    const body = this.classOf(route, described, 'Body');
    if (body && fieldsOf(body).has(KEY_FIELD)) headers.push(REQUEST_HEADERS.IdempotencyKeyHeader ?? {});
    if (body && !example) throw new Error(`${id} has no example. Add one to EXAMPLES in apps/openapi/src/examples.ts.`);
    const audience =
      access === 'agent' ? 'Agent keys may call it, for their own accounts.' : access === 'operator' ? 'For operator keys.' : '';
    return {
      operationId: id,
      tags: [tagOf(route)],
      summary: described.summary,
      description: [described.description, audience].filter((text) => text !== '').join('\n\n') || described.summary,
      ...(access === 'public' && { security: [] }),
      parameters: [...pathParameters(route), ...this.query(route, described), ...headers, { $ref: '#/components/parameters/requestId' }],
      ...(body && {
        requestBody: {
          required: requiredOf(body).length > 0,
          content: json({ $ref: this.dto(body) }, { examples: { example: { value: example?.body ?? {} } } }),
        },
      }),
      responses: this.responsesOf(route, described, takesBody),
    };
  }

  private classOf(
    { controller, handler, parameterTypes }: Route,
    { parameters }: Handler,
    decorator: string,
  ): (new () => object) | undefined {
    const typeName = parameters.find((each) => each.decorator === decorator)?.typeName;
    const found = parameterTypes.find((type) => type.name === typeName);
    if (typeName !== undefined && !found)
      throw new Error(`${controller.name}.${handler}: import the class ${typeName} as a value, not as a type.`);
    return found;
  }

  private query(route: Route, described: Handler): Member[] {
    const type = this.classOf(route, described, 'Query');
    if (!type) return [];
    return this.fieldSchemas(type).map(({ name, schema: { description, ...schema }, isRequired }) => ({
      name,
      in: 'query',
      ...(description !== undefined && { description }),
      ...(isRequired && { required: true }),
      schema,
    }));
  }

  /** The reference to a DTO's schema, which becomes a component. */
  private dto(type: new () => object): string {
    const name = componentName(type.name);
    if (!this.schemas[name]) {
      const fields = this.fieldSchemas(type);
      this.schemas[name] = {
        type: 'object',
        properties: Object.fromEntries(fields.map((field) => [field.name, field.schema])),
        ...(requiredOf(type).length > 0 && { required: requiredOf(type) }),
        additionalProperties: false,
      };
    }
    return refTo(name);
  }

  private fieldSchemas(type: new () => object): { name: string; schema: JsonSchema; isRequired: boolean }[] {
    const comments = this.source.fieldComments(type.name);
    const defaults = new Map<string, unknown>(Object.entries(new type()));
    return [...fieldsOf(type)].map(([name, field]) => {
      const comment = comments.get(name);
      const initial = defaults.get(name);
      const schema = {
        ...(comment !== undefined && { description: comment }),
        ...this.fieldSchema(field),
        ...(initial !== undefined && { default: initial }),
      };
      return { name, schema, isRequired: !field.isOptional };
    });
  }

  private fieldSchema({ schema: declared, nested, isNullable, isTrimmed }: FieldSchema): JsonSchema {
    if (nested) return { ...declared, $ref: this.dto(nested()) };
    const schema = isTrimmed ? trimmed(declared) : declared;
    if (!isNullable || typeof schema.type !== 'string') return schema;
    return { ...schema, type: [schema.type, 'null'], ...(schema.enum && { enum: [...schema.enum, null] }) };
  }

  private responsesOf(route: Route, described: Handler, takesBody: boolean): Member {
    const { answers, access, pathParameters: parameters } = route;
    const statuses = answers.statuses ?? [route.status];
    const dryRuns = described.results.filter(({ isDryRun }) => isDryRun);
    const results = described.results.filter(({ isDryRun }) => !isDryRun);
    const all = [...new Set([...(dryRuns.length > 0 ? [200] : []), ...statuses])].sort();
    const successes = all.map((status) => {
      const schemas = [...(statuses.includes(status) && status !== 204 ? results : []), ...(status === 200 ? dryRuns : [])].map(
        ({ schema }) => schema,
      );
      const [only] = schemas;
      const headers = {
        ...headerRefs([
          'X-Request-Id',
          ...(access === 'public' ? [] : (['RateLimit', 'RateLimit-Policy'] as const)),
          ...(answers.headers ?? []),
        ]),
      };
      const others = (answers.contents ?? []).map((type) => [type, { schema: { type: 'string' } }]);
      const content = only && { content: { ...json(schemas.length === 1 ? only : { anyOf: schemas }), ...Object.fromEntries(others) } };
      return [String(status), { description: DESCRIPTIONS[status] ?? 'Success.', headers, ...content }];
    });
    const codes: ErrorCode[] = [
      'invalid_request',
      ...(access === 'public' ? [] : (['unauthorized', 'forbidden', 'rate_limited', 'storage_unavailable'] as const)),
      ...(parameters.length > 0 ? (['not_found'] as const) : []),
      ...(takesBody && access !== 'public' ? (['payload_too_large', 'unsupported_media_type'] as const) : []),
      ...(answers.errors ?? []),
      'internal_error',
    ];
    return Object.fromEntries([...successes, ...this.errors.of(codes), ['431', { $ref: '#/components/responses/HeadersTooLarge' }]]);
  }
}

/** Answered before the request is read: without a body. */
const HEADERS_TOO_LARGE = { description: 'The headers of the request are too large.' };

const DESCRIPTIONS: Record<number, string> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next.',
  204: 'Success, without a body.',
  503: 'Not ready.',
};

/** The name that clients know an operation by: `transfers.create`. */
function operationId({ handler, path }: Route): string {
  return `${tagOf({ path })}.${handler}`;
}

function tagOf({ path }: Pick<Route, 'path'>): string {
  const [, first = '', second = ''] = path.split('/');
  const tag = first === 'v1' ? second : 'health';
  if (!(tag in TAGS)) throw new Error(`${path}: the tag ${tag} has no description. Add one to TAGS in apps/openapi/src/prose.ts.`);
  return tag;
}

function pathParameters(route: Route): Member[] {
  return route.pathParameters.map((name) => {
    const description = PATH_PARAMETERS[`${tagOf(route)}.${name}`];
    if (description === undefined) throw new Error(`${route.path}: describe ${name} in PATH_PARAMETERS in apps/openapi/src/prose.ts.`);
    return { name, in: 'path', required: true, description, schema: { type: 'string' } };
  });
}

/** The fields that a body must have. The idempotency key may come in a header. */
function requiredOf(type: new () => object): string[] {
  return [...fieldsOf(type)].filter(([name, field]) => !field.isOptional && name !== KEY_FIELD).map(([name]) => name);
}

/** A text of these bounds, with any white space around it. */
function trimmed({ minLength = 0, maxLength = 0, ...schema }: JsonSchema): JsonSchema {
  const text = `\\S(?:[\\s\\S]{${Math.max(minLength - 2, 0)},${maxLength - 2}}\\S)?`;
  return { ...schema, pattern: `^\\s*${text}\\s*$` };
}

function sorted<T>(members: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(members).sort(([one], [other]) => (one < other ? -1 : 1)));
}
