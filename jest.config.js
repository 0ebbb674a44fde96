// Tiers by suffix: unit beside the code, integration with a real PostgreSQL, end to end over HTTP. jest.faults.config.js has the rest.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

/** As the service is built. */
const swc = { ...JSON.parse(readFileSync(join(__dirname, '.swcrc'), 'utf8')), sourceMaps: 'inline' };

/** Packages that are published as ES modules only: Jest runs CommonJS, so these are translated. */
const esmOnly = [
  '@nestjs',
  'embedded-postgres',
  '@embedded-postgres',
  'get-port',
  'file-type',
  'strtok3',
  'token-types',
  '@borewit',
  '@tokenizer',
  'uint8array-extras',
  'sql-template-tag',
  'bs58',
  'base-x',
];

const tier = (displayName, testMatch, more = {}) => ({
  displayName,
  testMatch,
  rootDir: __dirname,
  testEnvironment: 'node',
  transform: { '^.+\\.[cm]?[jt]s$': ['@swc/jest', swc] },
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnly.join('|')})/)`],
  moduleNameMapper: {
    '^#(batcher|chain|client|database|embedded-postgres|litesvm-rpc|mcp|mpp|processes|spelling|x402)$': '<rootDir>/libs/$1/src/index.ts',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/target/', '<rootDir>/.data/'],
  setupFiles: ['reflect-metadata'],
  ...more,
});

const tiers = [
  tier('unit', ['<rootDir>/{apps,libs,scripts,test}/**/*.spec.ts']),
  tier('program', ['<rootDir>/programs/agent-policy/tests/**/*.spec.ts']),
  tier('integration', ['<rootDir>/{apps,libs,test}/**/*.integration-spec.ts'], {
    globalSetup: '<rootDir>/test/support/integration.setup.ts',
    globalTeardown: '<rootDir>/test/support/integration.teardown.ts',
  }),
  tier('e2e', ['<rootDir>/test/**/*.e2e-spec.ts'], {
    globalSetup: '<rootDir>/test/support/e2e.setup.ts',
    globalTeardown: '<rootDir>/test/support/e2e.teardown.ts',
  }),
];

/**
 * `npm run test:validator`: the end-to-end tests whose outcome depends on the chain (what lands, is confirmed, expires, costs fees, is read
 * from a node), on a validator, with faults of nodes and stock sellers; and the chain suite that the embedded chain passes.
 */
const validator = tier(
  'validator',
  ['<rootDir>/test/**/*.validator.{e2e,slow,fault}-spec.ts', '<rootDir>/libs/litesvm-rpc/test/*.validator-spec.ts'],
  {
    globalSetup: '<rootDir>/test/support/validator.setup.ts',
    globalTeardown: '<rootDir>/test/support/e2e.teardown.ts',
  },
);

module.exports = {
  // Two cores are what a small CI machine has. Many tests wait for clocks, so a third worker finds time; a validator has none to spare.
  maxWorkers: process.env.SERVICE_CHAIN === 'validator' ? 2 : 3,
  // A worker keeps what its test files have loaded, and collects garbage ever longer: above this it is replaced between two files.
  workerIdleMemoryLimit: '500MB',
  testSequencer: '<rootDir>/test/support/longest-first.js',
  testTimeout: 180_000,
  projects: process.env.SERVICE_CHAIN === 'validator' ? [validator] : tiers,
};
