const { readFileSync } = require('node:fs');
const { default: Sequencer } = require('@jest/test-sequencer');

/** Suites by how long they take, longest first: those that are in no other tier, those that start processes, and those that talk to one. */
const SLOWEST = [/\.(fault|slow|guide|security|openapi|scale)-spec\.ts$/, /\.(e2e|validator)-spec\.ts$/, /\.integration-spec\.ts$/];
/** A service, a browser or a command line of its own: it is waited for. */
const STARTS =
  /\b(startService|startServiceFromNothing|startBeside|startApart|startBrowser|startX402Seller)\(|\bPurseStage\.start\(|\bCli\(/g;

/** The last file to start should be a short one. Among equals as Jest orders them: by the time they took before or, on a fresh checkout, by size. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = new Map(tests.map(({ path }) => [path, rankOf(path)]));
    return [...super.sort(tests)].sort((one, other) => rank.get(one.path) - rank.get(other.path));
  }
};

function rankOf(path) {
  const tier = SLOWEST.findIndex((names) => names.test(path));
  const starts = readFileSync(path, 'utf8').match(STARTS)?.length ?? 0;
  return (tier < 0 ? SLOWEST.length : tier) * 100 - Math.min(starts, 99);
}
