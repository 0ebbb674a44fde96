/** The committed binary of payment-channels is the one whose source and licence are named beside it. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DIRECTORY = join(__dirname, '..', '..', 'libs', 'chain', 'payment-channels');
const read = (name: string): Buffer => readFileSync(join(DIRECTORY, name));

test('the README of payment-channels names the hash of the binary and its source commit, and the licence is beside it', () => {
  const readme = read('README.md').toString();
  expect(readme).toContain(createHash('sha256').update(read('payment_channels.so')).digest('hex'));
  const [commit] = /[0-9a-f]{40}/.exec(readme) ?? [];
  expect(readFileSync(join(__dirname, '..', '..', 'scripts', 'program', 'payment-channels.mjs'), 'utf8')).toContain(`'${commit}'`);
  expect(read('LICENSE').toString()).toContain('MIT License');
});
