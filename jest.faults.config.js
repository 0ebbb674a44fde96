// What `npm test` has no time for. `slow`: what waits for clocks or processes, or repeats what another tier proves; `npm run test:slow`, in the gate.
// The other suites take minutes: they kill processes, break networks, load large databases, and install what users install. `npm run test:faults`.
const config = require('./jest.config.js');

const tier = (name) => config.projects.find(({ displayName }) => displayName === name);

module.exports = {
  ...config,
  projects: [
    { ...tier('e2e'), displayName: 'slow', testMatch: ['<rootDir>/test/**/*.slow-spec.ts'] },
    {
      ...tier('integration'),
      displayName: 'slow-integration',
      testMatch: ['<rootDir>/{apps,libs}/**/*.slow-spec.ts', '<rootDir>/test/scale/buffers.scale-spec.ts'],
    },
    { ...tier('e2e'), displayName: 'faults', testMatch: ['<rootDir>/test/**/*.fault-spec.ts'] },
    { ...tier('program'), displayName: 'model', testMatch: ['<rootDir>/programs/agent-policy/tests/*.fault-spec.ts'] },
    { ...tier('e2e'), displayName: 'guides', testMatch: ['<rootDir>/test/e2e/**/*.guide-spec.ts'] },
    { ...tier('e2e'), displayName: 'openapi', testMatch: ['<rootDir>/test/openapi/*.openapi-spec.ts'] },
    { ...tier('unit'), displayName: 'deploy', testMatch: ['<rootDir>/test/deploy/*.deploy-spec.ts'] },
    { ...tier('e2e'), displayName: 'security', testMatch: ['<rootDir>/test/security/**/*.security-spec.ts'] },
    { ...tier('e2e'), displayName: 'scale', testMatch: ['<rootDir>/test/scale/{act,find}.scale-spec.ts'] },
  ],
};
