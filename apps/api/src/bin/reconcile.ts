/**
 * `npm run reconcile`: compares the ledger with the chain and with its sums, and prints the report. Exits with 1 if they differ.
 * `-- --restored`: the database was restored from a backup. Ends the sessions and purses of the backup first.
 */
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module';
import { KeySources } from '../key-sources';
import { StartError, takeEnvironment } from '../runtime/config-loader';
import { connectChain } from '../runtime/connections/chain-connection';
import { ServiceLogger } from '../runtime/observability/logger';
import { Restores } from '../orders';
import { runningSettings } from '../sandbox';
import { drifting, ReconciliationService } from '../reconciliation';

const RESTORED = '--restored';

async function run(): Promise<void> {
  const environment = await takeEnvironment();
  const keySources = new KeySources(environment);
  const config = runningSettings(environment);
  const chain = await connectChain(config, keySources);
  const app = await NestFactory.createApplicationContext(AppModule.for(config, { chain, keySources }), {
    abortOnError: false,
    logger: new ServiceLogger('error'),
  });
  try {
    if (process.argv.includes(RESTORED)) await app.get(Restores).mark();
    const report = await app.get(ReconciliationService).reconcile({ withSums: true, fully: true });
    console.log(JSON.stringify(report, null, 2));
    if (drifting(report) > 0 || report.unexplained.length > 0 || report.sums.length > 0) process.exitCode = 1;
  } finally {
    await app.close();
    chain.close();
  }
}

run().catch((error: unknown) => {
  console.error(error instanceof StartError ? error.message : error);
  process.exitCode = 1;
});
