// The specs of one part of `scripts/mutation.mjs`, as one project: Stryker runs no Jest configuration that has several.
const { projects } = require('./jest.config.js');

const { displayName: _displayName, ...unit } = projects.find(({ displayName }) => displayName === 'unit');
const specs = (process.env.MUTATION_SPECS ?? '').split(',');

module.exports = {
  ...unit,
  testMatch: specs.map((spec) => `<rootDir>/${spec}`),
  // A failed property is not minimized: that takes longer than all other mutants.
  setupFiles: [...unit.setupFiles, '<rootDir>/scripts/mutation-setup.cjs'],
};
