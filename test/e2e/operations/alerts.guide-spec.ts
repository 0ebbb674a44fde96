import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedService } from '../../support/service';

jest.setTimeout(120_000);

const ROOT = join(__dirname, '..', '..', '..');
const FOLDER = join(ROOT, 'deploy', 'prometheus');
const rules = readFileSync(join(FOLDER, 'alerts.yaml'), 'utf8');
/** Debian's package `prometheus` has it. */
const promtool = (args: string[], input = ''): string => execFileSync('promtool', args, { cwd: FOLDER, input, encoding: 'utf8' });

beforeAll(() => {
  if (spawnSync('promtool', ['--version']).status !== 0) throw new Error('promtool is missing: apt-get install prometheus');
});

test('the alerts fire beyond their bounds, and not at them', () => {
  expect(promtool(['check', 'rules', 'alerts.yaml'])).toContain('SUCCESS');
  expect(promtool(['test', 'rules', 'alerts.test.yaml'])).toContain('SUCCESS');
});

test('each alert has its page', () => {
  const pages = [...rules.matchAll(/runbook: \/docs\/(\S+)$/gm)].map(([, path = '']) => path);
  expect(pages.length).toBe([...rules.matchAll(/alert: /g)].length);
  for (const path of pages) expect([path, existsSync(join(ROOT, 'docs', `${path}.md`))]).toEqual([path, true]);
});

test('a running service has each metric of the alerts and of the dashboard, in the form of Prometheus', async () => {
  const text = await (await fetch(`${sharedService().baseUrl}/metrics`)).text();
  // These names are of prom-client, and end like a counter's.
  promtool(['check', 'metrics'], text.replace(/^.*nodejs_active_\w+_total.*\n/gm, ''));
  const dashboard: { panels: { targets: { expr: string }[] }[] } = JSON.parse(
    readFileSync(join(ROOT, 'deploy', 'grafana', 'agent-payment-service.json'), 'utf8'),
  );
  const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const panels = queries.map((expr, index) => ({ record: `panel_${index}`, expr }));
  const file = join(mkdtempSync(join(tmpdir(), 'aps-dashboard-')), 'queries.json');
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: panels }] }));
  promtool(['check', 'rules', file]);
  const names = [
    ...[rules, ...queries]
      .join('\n')
      .matchAll(/\b([a-z][a-z0-9_]+_(?:lamports|seconds|accounts|transfers|seconds_(?:count|bucket)|micro_lamports))\b/g),
  ].map(([, name = '']) => name);
  for (const name of new Set(names)) expect(text).toMatch(new RegExp(`^# TYPE ${name.replace(/_(count|bucket)$/, '')} `, 'm'));
});
