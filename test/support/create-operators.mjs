// Creates operators in a running service's database, as `npm run operator -- create` does, and prints their keys. One process for many: each
// start of the command loads the whole application. Its argument is their number; the settings are in the environment.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(
  join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'dist', 'apps', 'api', 'src', 'bin', 'operator.js'),
);
require('reflect-metadata');
const { NestFactory } = require('@nestjs/core');
const { AppModule } = require('../app.module');
const { OperatorsService } = require('../keys');
const { ServiceLogger } = require('../runtime/observability/logger');
const { takeEnvironment } = require('../runtime/config-loader');
const { runningSettings } = require('../sandbox');

const app = await NestFactory.createApplicationContext(AppModule.for(runningSettings(await takeEnvironment())), {
  abortOnError: false,
  logger: new ServiceLogger('warn'),
});
for (let left = Number(process.argv[2]); left > 0; left--) {
  const { key } = await app.get(OperatorsService).create('another');
  console.log(`OPERATOR_KEY=${key.key}`);
}
await app.close();
