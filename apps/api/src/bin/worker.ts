/** The worker in its own process, beside an API that was started with WORKER=apart. Any number may run. */
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { AppModule } from '../app.module';
import { KeySources } from '../key-sources';
import { readConfig, StartError, takeEnvironment } from '../runtime/config-loader';
import { checkIdentity, connectChain } from '../runtime/connections/chain-connection';
import { requireQueue } from '../jobs/queue-connection';
import { ResealingService } from '../keys';
import { ServiceLogger } from '../runtime/observability/logger';
import { openDatabase } from '../runtime/connections/database-connection';
import { Metrics } from '../runtime/observability/metrics';
import { serveMetrics } from '../runtime/observability/metrics-server';
import { Shutdown } from '../runtime/process/shutdown';
import { startTracing } from '../runtime/observability/tracing';

const shutdown = new Shutdown();

async function start(): Promise<void> {
  const environment = await takeEnvironment();
  const keySources = new KeySources(environment);
  const config = readConfig(environment);
  await openDatabase(config.DATABASE_URL);
  await requireQueue(config);
  await startTracing(config, shutdown);
  const chain = await connectChain(config, keySources);
  shutdown.add('the connection to the chain', async () => chain.close());
  const app = await NestFactory.createApplicationContext(AppModule.for(config, { chain, keySources, worker: true }), {
    abortOnError: false,
    logger: new ServiceLogger(config.LOG_LEVEL, config.LOG_FORMAT),
  });
  shutdown.add('the application', () => app.close());
  await checkIdentity(app.get(DataSource), chain);
  await app.get(ResealingService).requireKeys();
  await serveMetrics(app.get(Metrics), config, shutdown);
  process.stdout.write('ready\n');
}

shutdown.listen();
start().catch(async (error: unknown) => {
  console.error(error instanceof StartError ? error.message : error);
  await shutdown.exit(1);
});
