// Mutation tests of the pure money code, by hand: `npm run mutation` runs every part, `npm run mutation -- money mpp` some of them.
// Each part runs the specs of its own code alone, so that a mutant takes seconds and the score is that of these specs.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const api = 'apps/api/src';
/** The mutated files, and the specs that must notice. */
const parts = {
  money: { mutate: [`${api}/money/usdc.ts`], specs: [`${api}/money/usdc.spec.ts`] },
  orders: {
    mutate: [`${api}/orders/processing/violations.ts`, `${api}/orders/order.states.ts`],
    specs: [`${api}/orders/processing/violations.spec.ts`, `${api}/orders/order.states.spec.ts`],
  },
  processor: {
    mutate: [`${api}/orders/processing/order.processor.ts`],
    specs: ['processing/order.processor', 'processing/order-landing', 'approvals/order-approvals'].map(
      (of) => `${api}/orders/${of}.spec.ts`,
    ),
  },
  transfers: { mutate: [`${api}/transfers/transfer.handler.ts`], specs: [`${api}/transfers/transfer.handler.spec.ts`] },
  charges: { mutate: [`${api}/payments/methods/charge/charge-order.ts`], specs: [`${api}/payments/methods/charge/charge-order.spec.ts`] },
  quotes: { mutate: [`${api}/payments/quotes/mpp.ts`], specs: [`${api}/payments/quotes/mpp.spec.ts`] },
  // Without the comparisons with mppx and @x402/core, which would take seconds for each mutant.
  mpp: { mutate: ['libs/mpp/src/**/!(*.spec).ts'], specs: ['libs/mpp/src/**/*.spec.ts', 'libs/mpp/test/malformed.spec.ts'] },
  x402: { mutate: ['libs/x402/src/**/!(*.spec).ts'], specs: ['libs/x402/src/**/*.spec.ts'] },
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts);
const unknown = names.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}. The parts are ${Object.keys(parts).join(', ')}.`);
  process.exit(1);
}
for (const name of names) {
  const { mutate, specs } = parts[name];
  console.log(`\n${name}`);
  const { status } = spawnSync(join(root, 'node_modules', '.bin', 'stryker'), ['run', '--mutate', mutate.join(',')], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, MUTATION_SPECS: specs.join(',') },
  });
  if (status !== 0) process.exit(status ?? 1);
}
