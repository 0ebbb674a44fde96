import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedService } from './service';
import type { Body } from './api';

const README = join(__dirname, '..', 'README.md');

/** The one shell block that uses curl, as a reader would paste it. */
function walkThrough(): string {
  const blocks = [...readFileSync(README, 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  const [block, ...more] = blocks.filter((one) => one.includes('curl'));
  if (block === undefined || more.length > 0) throw new Error('The README has one walk-through by curl.');
  return block;
}

test('the walk-through of the README does what it says', () => {
  const { baseUrl, operatorKey } = sharedService();
  const shell = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', walkThrough()], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, BASE_URL: baseUrl, OPERATOR_KEY: operatorKey }, encoding: 'utf8' });
  expect(shell).toMatchObject({ status: 0, stderr: '' });
  const answers: Body[] = shell.stdout.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Body);
  const [faucet, policy, first, again, tooMuch, spending] = answers;
  expect(faucet.balance_usdc).toBe('100.000000');
  expect(policy).toMatchObject({ max_single_transfer: 5, max_daily_spend: 8, version: 2 });
  expect(first).toMatchObject({ status: 'settled', amount_usdc: '4.500000', memo: 'first', tx_signature: expect.any(String) });
  expect(again).toEqual(first);
  expect(tooMuch).toMatchObject({ error: 'policy_violation', policy: { rule: 'max_daily_spend', remaining_usdc: '3.500000', available_at: expect.any(String) } });
  expect(spending).toMatchObject({ balance_usdc: '95.500000', spent_usdc: '4.500000', remaining_usdc: '3.500000' });
});
