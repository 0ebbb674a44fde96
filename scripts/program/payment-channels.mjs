// Rebuilds the program payment-channels, which tests pay metered sellers by, and compares it with the committed one:
// `node scripts/program/payment-channels.mjs <checkout of github.com/solana-foundation/payment-channels>`. Needs cargo-build-sbf on the PATH.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMMIT = '3ffa4d6728ad88e4a9667a76ad9ccd68a302c696';
const committed = join(
  dirname(dirname(dirname(fileURLToPath(import.meta.url)))),
  'libs',
  'chain',
  'payment-channels',
  'payment_channels.so',
);
const [checkout] = process.argv.slice(2);
if (!checkout) fail('Usage: node scripts/program/payment-channels.mjs <checkout>');
const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: checkout, encoding: 'utf8' }).trim();
if (commit !== COMMIT) fail(`The checkout is at ${commit}, not at ${COMMIT}.`);

const out = mkdtempSync(join(tmpdir(), 'payment-channels-'));
try {
  // The default feature has a placeholder for the treasury, with which no stock seller can settle.
  const features = ['--no-default-features', '--features', 'mainnet-beta'];
  const cwd = join(checkout, 'program', 'payment_channels');
  execFileSync('cargo', ['build-sbf', ...features, '--sbf-out-dir', out], { cwd, stdio: 'inherit' });
  const isSame = readFileSync(join(out, 'payment_channels.so')).equals(readFileSync(committed));
  if (!isSame) fail('The build differs from the committed program. Is the compiler that of libs/chain/program/compiler.txt?');
  console.log('The committed payment-channels is, byte for byte, what its source gives.');
} finally {
  rmSync(out, { recursive: true, force: true });
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
