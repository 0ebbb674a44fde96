// Writes dist/llms/llms.txt and dist/llms/llms-full.txt from the documentation and docs/openapi.json: what a model needs to use the service.
// Uses Node's own modules only: scripts/prepare.mjs imports it. `node scripts/docs/llms.mjs` writes them by itself.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** The pages that llms-full.txt has whole, and llms.txt names. */
const PAGES = {
  'docs/concepts.md': 'accounts, policies, orders, sessions, purses, approvals, events',
  'docs/start/agents.md': 'a quick start for agent developers',
  'docs/agents.md': 'connecting by MCP, the system prompt, transcripts',
  'docs/payments.md': 'paying and being paid by HTTP 402: sessions, charges, purses',
  'docs/events.md': 'events, webhooks, signatures',
  'docs/lists.md': 'lists, filters, references, exports',
  'docs/limits.md': 'sizes, times and guarantees',
};
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const read = (path) => readFileSync(join(root, path), 'utf8');
const linesOf = (parts) => `${parts.join('\n').trimEnd()}\n`;

export function writeLlms() {
  const directory = join(root, 'dist', 'llms');
  mkdirSync(directory, { recursive: true });
  for (const [name, text] of Object.entries(llms())) writeFileSync(join(directory, name), text);
}

/** Both files, by name. @throws Error if the documentation no longer has what they are made of. */
export function llms() {
  const document = JSON.parse(read('docs/openapi.json'));
  const operations = operationsOf(document);
  const intro = introduction();
  return {
    'llms.txt': linesOf([...intro, '## Calls of an agent key', '', ...summaries(operations.filter(isForAgents)), '', ...links()]),
    'llms-full.txt': linesOf([...intro, ...Object.keys(PAGES).map(page), ...reference(document, operations)]),
  };
}

function introduction() {
  const [, title, summary] = /^# (.+)\n\n(.+)\n/.exec(read('README.md')) ?? [];
  const prompt = /<!-- system-prompt -->\n```text\n([\s\S]*?)\n```/.exec(read('docs/agents.md'))?.[1];
  if (!title || !prompt) throw new Error('README.md begins with its title and a summary, and docs/agents.md has the system prompt.');
  const usage =
    'Send JSON to `/v1/…` with `Authorization: Bearer <key>`. An operator key (`aps_op_…`) may call everything, an agent key (`aps_ag_…`) the calls below, for its own accounts. `GET /v1/me` says what a key may use. MCP: `POST /mcp` with an agent key.';
  return [`# ${title}`, '', `> ${summary}`, '', usage, '', '## Rules for a model that spends', '', prompt, ''];
}

function links() {
  const documents = [
    '- [llms-full.txt](/llms-full.txt): the documentation and every call in one file',
    '- [openapi.json](/openapi.json): OpenAPI 3.1, with schemas, examples and error codes',
    '- [API reference](/docs/api): the same as a page',
  ];
  return ['## Documents', '', ...documents, '', `llms-full.txt contains: ${Object.values(PAGES).join('; ')}.`];
}

function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({ ...item[method], title: `${method.toUpperCase()} ${path}` })),
  );
}

const isForAgents = ({ description = '' }) => description.includes('Agent keys may call it');
const summaries = (operations) => operations.map(({ title, summary }) => `- \`${title}\`: ${summary}`);

/** A page, with its headings one level deeper, and without the marks that only scripts read. */
function page(path) {
  let isCode = false;
  const lines = read(path)
    .split('\n')
    .filter((line) => !/^<!--.*-->$/.test(line));
  const deeper = lines.map((line) => {
    if (line.startsWith('```')) isCode = !isCode;
    return !isCode && /^#{1,5} /.test(line) ? `#${line}` : line;
  });
  return deeper.join('\n');
}

function reference(document, operations) {
  const { schemas } = document.components;
  const objects = Object.entries(schemas).filter(([, { properties }]) => properties);
  return [
    '## Calls',
    '',
    ...operations.flatMap((operation) => [`### ${operation.title}`, '', ...call(document, operation), '']),
    '## Objects',
    '',
    'A member with `?` is optional.',
    '',
    ...objects.flatMap(([name, schema]) => [
      `### ${name}`,
      '',
      ...(schema.description ? [schema.description, ''] : []),
      ...members(schema),
      '',
    ]),
  ];
}

function call(document, { summary, description, parameters = [], requestBody, responses }) {
  const resolved = (value) =>
    value.$ref
      ? value.$ref
          .slice(2)
          .split('/')
          .reduce((part, name) => part[name], document)
      : value;
  const named = parameters.map(resolved).filter(({ name }) => name !== 'X-Request-Id');
  const contentOf = (value) => resolved(value).content?.['application/json']?.schema;
  const results = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const errors = Object.entries(responses).flatMap(([status, response]) => codesOf(status, resolved(response)));
  return [
    `${summary}.${isForAgents({ description }) ? ' Agent keys may call it, for their own accounts.' : ''}`,
    '',
    ...named.map(({ name, in: place, schema, description: text, required }) =>
      field(`${name} (${place})`, { ...schema, description: text }, required),
    ),
    ...(requestBody ? [`- body: ${typeOf(contentOf(requestBody))}`] : []),
    ...results.map(([status, response]) => `- ${status}: ${contentOf(response) ? typeOf(contentOf(response)) : 'no body'}`),
    ...(errors.length > 0 ? [`- errors: ${errors.join(', ')}`] : []),
  ];
}

function codesOf(status, response) {
  if (status.startsWith('2')) return [];
  return Object.keys(response.content?.['application/json']?.examples ?? {}).map((code) => `${status} \`${code}\``);
}

function members({ properties, required = [] }) {
  return Object.entries(properties).map(([name, schema]) => field(name, schema, required.includes(name)));
}

function field(name, schema, isRequired) {
  const { description } = schema;
  return `- \`${name}\`${isRequired ? '' : '?'}: ${typeOf(schema)}${description ? `. ${description}` : ''}`;
}

function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split('/').at(-1);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return alternatives.map(typeOf).join(' | ');
  if (schema.type === 'array') return `${typeOf(schema.items ?? {})}[]`;
  if (schema.type === 'object' && schema.properties) {
    const inner = Object.entries(schema.properties).map(([name, each]) => `${name}: ${typeOf(each)}`);
    return `{ ${inner.join(', ')} }`;
  }
  return [schema.type ?? 'any'].flat().join(' | ');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeLlms();
