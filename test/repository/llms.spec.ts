import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { INSTRUCTIONS } from '#mcp';

const ROOT = join(__dirname, '..', '..');
const GENERATOR = `import('${join(ROOT, 'scripts', 'docs', 'llms.mjs')}').then(({ llms }) => process.stdout.write(JSON.stringify(llms())))`;
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const files: Record<string, string> = JSON.parse(
  execFileSync(process.execPath, ['-e', GENERATOR], { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 }),
);
const operations = Object.entries<Record<string, { description: string }>>(JSON.parse(read('docs/openapi.json')).paths).flatMap(
  ([path, item]) => Object.entries(item).map(([method, { description }]) => ({ title: `${method.toUpperCase()} ${path}`, description })),
);

test('the system prompt of docs/agents.md is what the MCP server sends as its instructions', () => {
  expect(read('docs/agents.md')).toContain(`<!-- system-prompt -->\n\`\`\`text\n${INSTRUCTIONS}\n\`\`\`\n`);
});

test('llms.txt has the form of llmstxt.org: a title, a summary, sections', () => {
  expect(files['llms.txt']).toMatch(/^# Agent Payment Service\n\n> .+\n\n/);
  expect(files['llms.txt']?.match(/^# /gm)).toHaveLength(1);
  expect(files['llms.txt']).toContain('](/llms-full.txt)');
});

test('llms.txt names every call of an agent key and no other', () => {
  const named = [...(files['llms.txt'] ?? '').matchAll(/^- `([A-Z]+ \/\S+)`/gm)].map(([, title]) => title);
  const forAgents = operations.filter(({ description }) => description.includes('Agent keys may call it')).map(({ title }) => title);
  expect(named.sort()).toEqual(forAgents.sort());
});

test('llms-full.txt has every call, the documentation, and the system prompt', () => {
  const full = files['llms-full.txt'] ?? '';
  for (const { title } of operations) expect(full).toContain(`\n### ${title}\n`);
  for (const heading of ['## Agents', '## Payments', '### Connect by MCP', '## Objects']) expect(full).toContain(`\n${heading}\n`);
  expect(full).toContain(INSTRUCTIONS);
  expect(full).not.toContain('<!--');
});
