// `npm run test:validator`: `anchor test --validator legacy` without the build of the program. Anchor starts a solana-test-validator with the committed program and runs the test script of Anchor.toml.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

mkdirSync(join(root, 'target', 'deploy'), { recursive: true });
await import('./anchor-wallet.mjs');
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
