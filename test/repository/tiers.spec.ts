import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathsBelow, ROOT as root, SOURCES } from './tree';

/** All specs of the project, by the name that marks them. */
function specs(): string[] {
  return pathsBelow(SOURCES)
    .filter((path) => /[.-]spec\.tsx?$/.test(path))
    .sort();
}

/** The specs that a command runs. */
function listed(args: string[], variables: Record<string, string> = {}): string[] {
  const jest = [join(root, 'node_modules', 'jest', 'bin', 'jest.js'), '--listTests', '--json', ...args];
  const { stdout } = spawnSync(process.execPath, jest, { cwd: root, encoding: 'utf8', env: { ...process.env, ...variables } });
  return (JSON.parse(stdout) as string[]).map((path) => path.slice(root.length + 1)).sort();
}

test('each spec runs in npm test or in npm run test:faults and not in both, or on a validator alone', () => {
  const [daily, faults, validator] = [
    listed([]),
    listed(['--config', 'jest.faults.config.js']),
    listed([], { SERVICE_CHAIN: 'validator' }),
  ];
  const onlyThere = validator.filter((path) => path.endsWith('.validator-spec.ts'));
  expect([...daily, ...faults, ...onlyThere].sort()).toEqual(specs());
  expect(faults.length).toBeGreaterThan(0);
});
