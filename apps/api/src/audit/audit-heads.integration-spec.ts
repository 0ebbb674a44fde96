import { Logger } from '@nestjs/common';
import { startApp, type TestApp } from '../../../../test/support/app';
import { AuditHeads } from './audit-heads';

let app: TestApp;
const lines: string[] = [];
beforeAll(async () => {
  app = await startApp();
  jest.spyOn(Logger.prototype, 'log').mockImplementation((message: unknown) => void lines.push(String(message)));
});
afterAll(() => app.close());
afterEach(() => void lines.splice(0));

/** The positions whose heads a pass writes into the log. */
async function anchored(): Promise<number[]> {
  lines.splice(0);
  await app.app.get(AuditHeads).anchor();
  return lines.filter((line) => line.startsWith(`audit-head ${app.operatorId} `)).map((line) => Number(line.split(' ')[2]));
}

const write = (count: number): Promise<unknown> =>
  app.database.query(
    `SELECT record_audit_entry($1, '{"action":"account.changed","actor":{"key_id":null,"type":"service"},"after":null,"at":"2026-01-01T00:00:00.000Z",' ||
       '"before":null,"id":"aud_' || gen_random_uuid() || '","ip":null,"object":"x","previous_hash":', ',"request_id":null}')
     FROM generate_series(1, $2)`,
    [app.operatorId, count],
  );

test('the head of the audit log is written with the start, each hour, and at each thousand entries, signed', async () => {
  const [first = 0] = await anchored();
  expect(first).toBeGreaterThan(0);
  expect(await anchored()).toEqual([]);
  await write(5);
  app.clock.advance({ seconds: 3_599 });
  expect(await anchored()).toEqual([]);
  app.clock.advance({ seconds: 1 });
  expect(await anchored()).toEqual([first + 5]);
  await write(1_000);
  expect(await anchored()).toEqual([first + 1_005]);
  expect(lines[0]).toMatch(/^audit-head op_\w+ \d+ aud_\S+ [0-9a-f]{64} \S+Z [0-9a-f]{64} [0-9a-f]{128}$/);
});
