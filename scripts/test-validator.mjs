// `npm run test:validator`: Anchor starts a solana-test-validator with the committed program and runs the test script of Anchor.toml.
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** A keypair in the form of Solana's tools. Anchor requires a wallet; the tests use other keys. */
function writeKeypair(path) {
  if (existsSync(path)) return;
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  writeFileSync(path, JSON.stringify([...Buffer.from(d, 'base64url'), ...Buffer.from(x, 'base64url')]), { mode: 0o600 });
}

mkdirSync(join(root, 'target', 'deploy'), { recursive: true });
writeKeypair(join(root, 'target', 'test-wallet.json'));
// Not built here: the program under test is the committed one.
copyFileSync(join(root, 'libs/chain/program/agent_policy.so'), join(root, 'target/deploy/agent_policy.so'));

// Anchor's default validator is another one.
const { status, error } = spawnSync('anchor', ['test', '--skip-build', '--validator', 'legacy'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ANCHOR_TEST_VALIDATOR: 'legacy' },
});
if (error) console.error('npm run test:validator needs Anchor 1.2 (`anchor`) and Agave (`solana-test-validator`) on the PATH.');
process.exit(status ?? 1);
