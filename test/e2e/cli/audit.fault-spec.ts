/** `aps audit verify` against heads that were kept, after a writer of the database has rewritten the audit log. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { api } from '../../support/api';
import { rewriteAuditLog } from '../../support/audit-chain';
import { Cli } from '../../support/cli';
import { eventually } from '../../support/eventually';
import { startService, type Service } from '../../support/service';
import { anAccount, bodyOf, everyRow } from '../../support/world';

jest.setTimeout(90_000);

let service: Service;
let cli: Cli;
beforeAll(async () => {
  service = await startService({ variables: { LOG_LEVEL: 'log' } });
  cli = new Cli({ APS_BASE_URL: service.baseUrl, APS_KEY: service.operatorKey });
});
afterAll(async () => {
  cli.remove();
  await service.stop();
});

test('a rewritten audit log is one chain by itself, and is found by a kept head', async () => {
  const by = api(service.baseUrl, service.operatorKey);
  await anAccount({ by });
  const kept = await eventually(
    async () => {
      const lines = service.output.split('\n').filter((line) => line.includes('audit-head op_'));
      expect(lines).not.toEqual([]);
      return join(cli.directory, 'kept.log');
    },
    { timeoutMs: 60_000 },
  );
  writeFileSync(kept, service.output);
  const sound = await cli.json('audit', 'verify', '--heads', kept);
  expect([sound.problems, sound.heads > 0, sound.entries > 0]).toEqual([[], true, true]);
  // Another chain, in which no account was ever renamed.
  await rewriteAuditLog(service.sandbox.database_url, await everyRow('/v1/audit_log', by), (entry) => ({
    ...entry,
    object: 'acct_forged',
  }));
  expect((await cli.run(['audit', 'verify'])).code).toBe(0);
  const { code, stdout } = await cli.run(['audit', 'verify', '--heads', kept]);
  expect([code, stdout]).toEqual([1, expect.stringContaining('was rewritten')]);
  writeFileSync(kept, readFileSync(kept, 'utf8').replace(/(audit-head op_\w+) (\d+)/g, '$1 9$2'));
  expect((await cli.run(['audit', 'verify', '--heads', kept])).code).toBe(2);
  expect(bodyOf(await by.get('/v1/me'), 200)).toBeDefined();
});
