/** The schemas of docs/openapi.json, in the form that MCP tools have: without references, each complete in itself. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A JSON Schema of an object. Its other members are whatever the document has. */
export interface ObjectSchema {
  type: 'object';
  properties: Record<string, Record<string, unknown>>;
  required?: string[];
  [member: string]: unknown;
}

type Json = Record<string, unknown>;

/** Members that OpenAPI adds to JSON Schema, and examples, which cost a model tokens and say nothing new. */
const LEFT_OUT = new Set(['discriminator', 'example', 'examples']);
/** Deeper than any schema of the document: a recursive one would never end. */
const MAX_DEPTH = 24;

export class ApiDocument {
  private readonly operations: ReadonlyMap<string, Json>;

  constructor(private readonly document: Json) {
    const items = Object.values(objectOf(document.paths)).map(objectOf);
    this.operations = new Map(
      items
        .flatMap((item) => Object.values(item))
        .map(objectOf)
        .map((operation) => [String(operation.operationId), operation]),
    );
  }

  /** The version of the service. */
  get version(): string {
    return String(objectOf(this.document.info).version);
  }

  /** The schema of an operation's body. @throws Error for an unknown operation, or one without a body. */
  body(operationId: string): ObjectSchema {
    return this.content(objectOf(this.operation(operationId).requestBody), `the body of ${operationId}`);
  }

  /** The schema of an operation's query parameters, as one object. */
  query(operationId: string): ObjectSchema {
    const { parameters } = this.operation(operationId);
    const all = (Array.isArray(parameters) ? parameters : []).map((each: unknown) => this.resolved(objectOf(each)));
    const properties = all
      .filter((each) => each.in === 'query')
      .map((each) => [
        each.name,
        { ...(each.description !== undefined && { description: each.description }), ...this.inlined(each.schema) },
      ]);
    return { type: 'object', properties: Object.fromEntries(properties) };
  }

  /** The schema of what an operation returns if it is not a dry run. */
  success(operationId: string): ObjectSchema {
    return this.result(operationId, (schema) => !isDryRun(schema));
  }

  /** The schema of what a dry run of the operation returns. */
  dryRun(operationId: string): ObjectSchema {
    return this.result(operationId, isDryRun);
  }

  /** The schema of an operation's 402: one of the declines. */
  decline(operationId: string): Json {
    const response = this.resolved(objectOf(objectOf(this.operation(operationId).responses)['402']));
    return this.inlined(mediaOf(response));
  }

  private result(operationId: string, wanted: (schema: ObjectSchema) => boolean): ObjectSchema {
    const responses = objectOf(this.operation(operationId).responses);
    const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
    const schemas = successes.map(([, response]) => this.inlined(mediaOf(this.resolved(objectOf(response)))));
    const found = schemas
      .flatMap((schema): unknown[] => (Array.isArray(schema.anyOf) ? schema.anyOf : [schema]))
      .find((schema): schema is ObjectSchema => isObjectSchema(schema) && wanted(schema));
    if (!found) throw new Error(`docs/openapi.json has no such result of ${operationId}.`);
    return found;
  }

  private content(described: Json, what: string): ObjectSchema {
    const schema = this.inlined(mediaOf(described));
    if (!isObjectSchema(schema)) throw new Error(`docs/openapi.json has no object as ${what}.`);
    return schema;
  }

  private operation(operationId: string): Json {
    const operation = this.operations.get(operationId);
    if (!operation) throw new Error(`docs/openapi.json has no operation ${operationId}.`);
    return operation;
  }

  /** A part of the document with every reference replaced by what it names. */
  private inlined(value: unknown, depth = 0): Json {
    if (depth > MAX_DEPTH) throw new Error('A schema of docs/openapi.json is nested too deeply, or recursive.');
    const inline = (part: unknown): unknown =>
      Array.isArray(part) ? part.map(inline) : typeof part === 'object' && part !== null ? this.inlined(part, depth + 1) : part;
    const kept = Object.entries(this.resolved(objectOf(value))).filter(([name, part]) => !LEFT_OUT.has(name) || isSchemaOf(name, part));
    return Object.fromEntries(kept.map(([name, part]) => [name, inline(part)]));
  }

  /** An object, or what its `$ref` names. Members beside the reference stay. */
  private resolved({ $ref, ...beside }: Json): Json {
    if (typeof $ref !== 'string') return beside;
    const named = $ref
      .slice('#/'.length)
      .split('/')
      .reduce((part, name) => objectOf(part[name]), this.document);
    return { ...this.resolved(named), ...beside };
  }
}

/** Reads docs/openapi.json of this repository. @throws Error if it is missing. */
export function readApiDocument(): ApiDocument {
  // In the package of the command line it is beside the one file.
  const beside = join(__dirname, 'openapi.json');
  if (existsSync(beside)) return documentOf(beside);
  const above = join(__dirname, '..', '..', '..');
  // Compiled, this file is in dist/libs/mcp/src.
  const root = existsSync(join(above, 'package.json')) ? above : dirname(above);
  return documentOf(join(root, 'docs', 'openapi.json'));
}

function documentOf(path: string): ApiDocument {
  return new ApiDocument(objectOf(JSON.parse(readFileSync(path, 'utf8'))));
}

function mediaOf(described: Json): Json {
  return objectOf(objectOf(objectOf(described.content)['application/json']).schema);
}

function isDryRun(schema: ObjectSchema): boolean {
  return 'dry_run' in schema.properties;
}

function isObjectSchema(schema: unknown): schema is ObjectSchema {
  return typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'object' && 'properties' in schema;
}

/** Whether a member of that name is a property called so, which has a schema, and no list of examples. */
function isSchemaOf(name: string, part: unknown): boolean {
  return name !== 'discriminator' && typeof part === 'object' && part !== null && !Array.isArray(part);
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
