const { default: Sequencer } = require('@jest/test-sequencer');

/** Files that take longest, longest first: they start processes and wait for them. The last file to start should be a short one. */
const LONGEST = [
  'life.embedded',
  'chaos.embedded',
  'slow-validator.embedded',
  'readme.embedded',
  'failpoints.embedded',
  'payment-faults.embedded',
  'faults',
  'restored-database',
  'session-ends.embedded',
  'charges.embedded',
  'reconcile.embedded',
  'dashboard.embedded',
  'deposits',
  'reseal.embedded',
  'crash',
  'short-lives',
  'custody',
];

/** As Jest orders them: by the time they took before or, on a fresh checkout, by their size, which here says little. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const at = LONGEST.findIndex((name) => path.endsWith(`/${name}.e2e-spec.ts`));
      return at < 0 ? LONGEST.length : at;
    };
    return [...super.sort(tests)].sort((one, other) => rank(one) - rank(other));
  }
};
