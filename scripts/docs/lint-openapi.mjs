// Lints docs/openapi.json with Redocly. Its telemetry and its search for updates are off: linting needs no network.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const cli = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin', 'cli.js');
const { status } = spawnSync(process.execPath, [cli, 'lint', '--config', 'redocly.yaml', '--max-problems', '1000', 'docs/openapi.json'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' },
});
process.exit(status ?? 1);
