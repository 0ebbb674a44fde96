const { default: Sequencer } = require('@jest/test-sequencer');

/** Files that take longest, longest first: they start processes and wait for them. The last file to start should be a short one. */
const LONGEST = [
  'purse-faults.fault',
  'payment-faults.fault',
  'chaos.fault',
  'life.fault',
  'slow-validator.fault',
  'failpoints.fault',
  'reconcile.fault',
  'reseal.fault',
  'signatures.fault',
  'faults.fault',
  'readme.guide',
  'x402.embedded.e2e',
  'dashboard.embedded.e2e',
  'cli.embedded.e2e',
  'charges.embedded.e2e',
  'purses.embedded.e2e',
  'deposits.e2e',
  'jobs.integration',
  'chain-key.e2e',
  'crash.e2e',
  'custody.e2e',
];

/** As Jest orders them: by the time they took before or, on a fresh checkout, by their size, which here says little. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const at = LONGEST.findIndex((name) => path.endsWith(`/${name}-spec.ts`));
      return at < 0 ? LONGEST.length : at;
    };
    return [...super.sort(tests)].sort((one, other) => rank(one) - rank(other));
  }
};
