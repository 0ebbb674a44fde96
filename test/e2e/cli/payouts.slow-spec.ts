import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cli } from '../../support/cli';
import { eventually } from '../../support/eventually';
import { anAccount, balanceOf, everyRow, query, setPolicy, type TestAccount } from '../../support/world';

jest.setTimeout(180_000);

let cli: Cli;
let from: TestAccount;
let to: TestAccount;
beforeEach(async () => {
  cli = new Cli();
  [from, to] = await Promise.all([anAccount({ usdc: '100' }), anAccount()]);
});
afterEach(() => cli.remove());

const file = (rows: string[], name = 'payouts.csv'): string => {
  writeFileSync(join(cli.directory, name), `to,amount,memo\n${rows.join('\n')}\n`);
  return name;
};
const run = (name: string, ...more: string[]) => cli.run(['transfer', '--from', from.id, '--file', name, '--yes', ...more]);
const settledCount = async () => (await everyRow(`/v1/transfers?account_id=${from.id}&status=settled`)).length;

test('a run of a payouts file that is killed in the middle is finished by the next one, and pays each row once', async () => {
  const rows = Array.from({ length: 16 }, (_, index) => `${to.id},1.5,row ${index % 4}`);
  const name = file(rows);
  const killed = cli.start('transfer', '--from', from.id, '--file', name, '--yes', '--concurrency', '2');
  await eventually(async () => expect(await settledCount()).toBeGreaterThan(2));
  killed.kill('SIGKILL');
  expect((await killed.ended).code).toBeNull();
  const { code, stdout } = await run(name, '--json');
  const { counts } = JSON.parse(stdout);
  expect([code, counts.settled + counts.already_settled]).toEqual([0, 16]);
  expect([counts.settled > 0, counts.already_settled > 2]).toEqual([true, true]);
  expect([await settledCount(), await balanceOf(to)]).toEqual([16, '24.000000']);
});

test('a row that a rule declined exits with 6, and the next run pays only that row once the policy allows it', async () => {
  const name = file([`${to.id},1,small`, `${to.id},9,large`]);
  await setPolicy(from, { max_single_transfer: 5 });
  const first = await run(name);
  expect([first.code, first.stdout]).toEqual([6, expect.stringMatching(/1 settled, 1 declined|1 declined, 1 settled/)]);
  expect(first.stdout).toContain('max_single_transfer');
  await setPolicy(from, { max_single_transfer: null });
  expect(JSON.parse((await run(name, '--json')).stdout).counts).toEqual({ already_settled: 1, settled: 1 });
  expect(await balanceOf(to)).toBe('10.000000');
});

test('a batch with a name pays only the new row after its file was edited', async () => {
  const rows = [`${to.id},1,one`, `${to.id},1,one`];
  await run(file(rows), '--batch', 'november');
  const edited = await run(file([`${to.id},2,two`, ...rows]), '--batch', 'november', '--json');
  expect(JSON.parse(edited.stdout).counts).toEqual({ settled: 1, already_settled: 2 });
  expect(await balanceOf(to)).toBe('4.000000');
});

test('a payouts file with a wrong row pays nothing, names the line and exits with 2', async () => {
  const { code, stderr } = await run(file([`${to.id},1,one`, `${to.id},-1,two`]));
  expect([code, stderr, await settledCount()]).toEqual([2, expect.stringContaining('line 3: amount'), 0]);
});

test('a payouts file pays nothing without a yes', async () => {
  const { code, stderr } = await cli.run(['transfer', '--from', from.id, '--file', file([`${to.id},1,one`])], 'n\n');
  expect([code, stderr]).toEqual([1, expect.stringContaining('1 transfers, 1.000000 USDC in all')]);
  expect(await settledCount()).toBe(0);
});

test('a payouts file whose run ends by Ctrl-C is finished by the next one', async () => {
  const name = file(Array.from({ length: 16 }, () => `${to.id},1,x`));
  const stopped = cli.start('transfer', '--from', from.id, '--file', name, '--yes', '--concurrency', '1', '--json');
  await eventually(async () => expect(await settledCount()).toBeGreaterThan(0));
  stopped.kill('SIGINT');
  const { code, stdout } = await stopped.ended;
  expect([code, JSON.parse(stdout).counts.not_sent]).toEqual([130, expect.any(Number)]);
  expect(await run(name)).toMatchObject({ code: 0 });
  expect(await balanceOf(to)).toBe('16.000000');
});

test('a run of a payouts file after the idempotency keys have become free pays nothing twice', async () => {
  const name = file([`${to.id},1,one`, `${to.id},2,two`]);
  expect(await run(name)).toMatchObject({ code: 0 });
  // Keys are free 24 hours after their transfer became final.
  const updated = await query("UPDATE orders SET final_at = final_at - interval '25 hours' WHERE account_id = $1 RETURNING id", [from.id]);
  expect(updated).toHaveLength(2);
  expect(JSON.parse((await run(name, '--json')).stdout).counts).toEqual({ already_settled: 2 });
  expect(await balanceOf(to)).toBe('3.000000');
});

test('a row that an operator denied stays denied at the next run, and exits with 6', async () => {
  await setPolicy(from, { escalation_threshold: 5 });
  const name = file([`${to.id},6,large`]);
  const first = JSON.parse((await run(name, '--json')).stdout);
  expect(first.counts).toEqual({ pending_approval: 1 });
  await cli.json('approvals', 'deny', first.rows[0].transfer_id);
  const { code, stdout } = await run(name, '--json');
  expect([code, JSON.parse(stdout).counts]).toEqual([6, { denied: 1 }]);
});
