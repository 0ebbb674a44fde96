/** The API reference as pages of the site, made of docs/openapi.json: what a route does, its parameters, its body, its answers, and samples. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { samplesOf } from './samples.mts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}
interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  description?: string;
  required?: boolean;
  schema: Schema;
}
interface Content {
  content?: { 'application/json'?: { schema?: Schema; examples?: Record<string, { value: unknown }> } };
}
interface Operation {
  operationId: string;
  tags?: string[];
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, { $ref?: string; description?: string } & Content>;
}
interface Document {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, never>>;
}

const document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')) as Document;

/** The depth to which the fields of a schema are listed. */
const MAX_DEPTH = 3;

/** The groups of routes, for the sidebar. */
export const REFERENCE_GROUPS = document.tags.map(({ name }) => ({ text: titleOf(name), link: `/api/${name}` }));

const fileOf = (tag: string): URL => new URL(`../api/${tag}.md`, import.meta.url);

/** Writes a page for each group into docs/api, so that the site's search finds it: pages of a dynamic route are not indexed. */
export function writeReference(): void {
  for (const { name, description } of document.tags) {
    const content = [`# ${titleOf(name)}`, safe(description), ...operationsOf(name).map(operation)].join('\n\n');
    writeFileSync(fileOf(name), content);
  }
}

/** Removes the pages after the build, whose inputs they are not. */
export function removeReference(): void {
  for (const { name } of document.tags) rmSync(fileOf(name), { force: true });
}

type Route = [path: string, method: string, operation: Operation];

function operationsOf(tag: string): Route[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, each]): Route[] => (each.tags?.includes(tag) ? [[path, method, each]] : [])),
  );
}

function titleOf(tag: string): string {
  const words = tag.replaceAll('_', ' ').replace(/^api /, 'API ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function operation([path, method, { operationId, summary, description, parameters = [], requestBody, responses }]: Route): string {
  const body = requestBody?.content?.['application/json'];
  const example = Object.values(body?.examples ?? {})[0]?.value;
  return [
    `## ${summary ?? operationId} {#${operationId.replaceAll('.', '-')}}`,
    `\`${method.toUpperCase()} ${path}\``,
    description && safe(description),
    table('Parameters', parameters.map(resolved).map(parameterRow)),
    body?.schema && table('Body', fieldRows(resolved(body.schema))),
    samplesOf({ method: method.toUpperCase(), path, body: example }),
    answers(responses),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function parameterRow({ name, in: place, required, description = '', schema }: Parameter): string[] {
  return [`\`${name}\``, `${place}${required ? ', required' : ''}`, typeOf(schema), safe(description)];
}

/** The answers, with the fields of the first that succeeds. */
function answers(responses: Operation['responses']): string {
  const rows = Object.entries(responses).map(([status, response]) => [`\`${status}\``, safe(resolved(response).description ?? '')]);
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const schema = success && resolved(success).content?.['application/json']?.schema;
  return [tableOf('Answers', ['Status', 'Meaning'], rows), schema && table('Fields of the answer', fieldRows(resolved(schema)))]
    .filter(Boolean)
    .join('\n\n');
}

function table(title: string, rows: string[][]): string {
  return tableOf(title, ['Name', 'Kind', 'Type', 'Meaning'], rows);
}

function tableOf(title: string, head: string[], rows: string[][]): string {
  if (rows.length === 0) return '';
  const line = (cells: string[]): string => `| ${cells.map((cell) => cell.replace(/\|/g, '\\|').replace(/\s+/g, ' ')).join(' | ')} |`;
  return `**${title}**\n\n${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}`;
}

/** The fields of an object, those of its objects indented by their path. */
function fieldRows(schema: Schema, prefix = '', depth = 0): string[][] {
  const whole = resolved((schema.anyOf ?? schema.oneOf)?.[0] ?? schema);
  return Object.entries(whole.properties ?? {}).flatMap(([name, given]) => {
    const field = resolved(given);
    const inner = resolved(field.items ?? field);
    const row = [
      `\`${prefix}${name}\``,
      whole.required?.includes(name) ? 'required' : 'optional',
      typeOf(field),
      safe(given.description ?? field.description ?? ''),
    ];
    const below = depth < MAX_DEPTH - 1 ? fieldRows(inner, `${prefix}${name}${field.items ? '[]' : ''}.`, depth + 1) : [];
    return [row, ...below];
  });
}

function typeOf(given: Schema): string {
  const schema = resolved(given);
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return [...new Set(alternatives.map(typeOf))].join(' or ');
  const type = [schema.type ?? 'any'].flat().join(' or ');
  if (schema.items) return `${type} of ${typeOf(schema.items)}`;
  const bounds = [schema.minLength ?? schema.minimum, schema.maxLength ?? schema.maximum];
  return bounds.every((bound) => bound === undefined) ? type : `${type}, ${bounds[0] ?? ''}..${bounds[1] ?? ''}`;
}

/** What a reference names, or the thing itself. */
function resolved<T extends object>(given: T & { $ref?: string }): T {
  const found = given.$ref
    ?.replace('#/', '')
    .split('/')
    .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], document);
  return (found as T | undefined) ?? given;
}

/** A text without markup of Vue or HTML; code stays code. */
function safe(text: string): string {
  return text.replace(/</g, '&lt;').replace(/\{\{/g, '&#123;&#123;');
}
