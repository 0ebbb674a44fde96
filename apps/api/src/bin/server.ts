/** The HTTP service, by default with the worker, and with the parts of the sandbox that the environment does not name. */
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DataSource } from 'typeorm';
import { type Chain, PAYMENT_CHANNELS_ADDRESS } from '#chain';
import { AppModule } from '../app.module';
import { KeySources } from '../key-sources';
import { StartError, takeEnvironment } from '../runtime/config-loader';
import { type Config } from '../runtime/config';
import { checkIdentity, connectChain } from '../runtime/connections/chain-connection';
import { configureApp } from '../http/configure-app';
import { Metrics } from '../runtime/observability/metrics';
import { serveMetrics } from '../runtime/observability/metrics-server';
import { drain, listen } from '../runtime/process/server';
import { requireQueue } from '../jobs/queue-connection';
import { ResealingService } from '../keys';
import { ServiceLogger } from '../runtime/observability/logger';
import { boot, type Booted, firstOperatorKey, storedFact, transferToTry, writeSandboxFile } from '../sandbox';
import { Shutdown } from '../runtime/process/shutdown';
import { startTracing } from '../runtime/observability/tracing';

/** How much longer than its settlement a request may take. */
const DRAIN_GRACE_MS = 5_000;

const shutdown = new Shutdown();

async function start(): Promise<void> {
  const environment = await takeEnvironment();
  const keySources = new KeySources(environment);
  const booted = await boot(environment, shutdown);
  const { config } = booted;
  if (config.WORKER === 'inside') await requireQueue(config);
  await startTracing(config, shutdown);
  const chain = await connectChain(config, keySources);
  shutdown.add('the connection to the chain', async () => chain.close());
  const app = await createApp(config, chain, keySources);
  await checkIdentity(app.get(DataSource), chain);
  await app.get(ResealingService).requireKeys();
  await serveMetrics(app.get(Metrics), config, shutdown);
  const baseUrl = await listen(app, config);
  print(`BASE_URL=${baseUrl}`);
  print(`DASHBOARD_URL=${baseUrl}/dashboard`);
  await announce(app, booted, chain, baseUrl);
  print('ready');
}

async function createApp(config: Config, chain: Chain, keySources: KeySources): Promise<NestExpressApplication> {
  const module = AppModule.for(config, { chain, keySources, worker: config.WORKER === 'inside' });
  const app = await NestFactory.create<NestExpressApplication>(module, {
    bodyParser: false,
    abortOnError: false,
    logger: new ServiceLogger(config.LOG_LEVEL, config.LOG_FORMAT),
  });
  shutdown.add('the application', () => app.close());
  configureApp(app);
  shutdown.add('the HTTP server', () =>
    drain(app, { delayMs: config.DRAIN_DELAY_MS, withinMs: config.SETTLEMENT_WAIT_MS + DRAIN_GRACE_MS }),
  );
  return app;
}

/** In the sandbox: prints an operator key and stores the facts for tools. In production nothing is printed. */
async function announce(
  app: NestExpressApplication,
  { config, databaseUrl, given }: Booted,
  { identity, channels }: Chain,
  baseUrl: string,
): Promise<void> {
  if (given.database && given.chain) return;
  const { key, isNew } = await firstOperatorKey(app, storedFact(config.DATA_DIR, 'operator_key'));
  writeSandboxFile(config.DATA_DIR, {
    base_url: baseUrl,
    operator_key: key,
    rpc_url: config.SOLANA_RPC_URL[0] ?? '',
    ws_url: config.SOLANA_WS_URL?.[0] ?? '',
    usdc_mint: identity.usdcMint,
    program_id: identity.programId,
    database_url: databaseUrl,
    ...((await channels.arePresent()) && { channels_program: PAYMENT_CHANNELS_ADDRESS, channels_treasury: channels.treasury }),
  });
  if (isNew) print(`OPERATOR_KEY=${key}`);
  if (!given.chain) print(transferToTry(baseUrl, config.DATA_DIR));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

shutdown.listen();
start().catch(async (error: unknown) => {
  console.error(error instanceof StartError ? error.message : error);
  await shutdown.exit(1);
});
