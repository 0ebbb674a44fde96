/**
 * The `setup` service of docker-compose.yml, which runs before the API: funds the fee payer and creates the test mint on a private chain,
 * migrates the database, and prints the first operator's key once. Idempotent.
 */
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { LocalSigner, createTestMint, nodeAddress } from '#chain';
import { AppModule } from '../app.module';
import { readConfig, StartError, takeEnvironment } from '../runtime/config-loader';
import { type Config } from '../runtime/config';
import { checkIdentity, connectChain } from '../runtime/connections/chain-connection';
import { KeySources } from '../key-sources';
import { openDatabase } from '../runtime/connections/database-connection';
import { ServiceLogger } from '../runtime/observability/logger';
import { OperatorsService, ResealingService } from '../keys';

async function setUp(): Promise<void> {
  const environment = await takeEnvironment();
  const keySources = new KeySources(environment);
  const config = readConfig(environment);
  if (config.TEST_MINT_KEY) await prepareTestChain(config, LocalSigner.fromSeed(config.TEST_MINT_KEY), keySources);
  await openDatabase(config.DATABASE_URL);
  const chain = await connectChain(config, keySources);
  const app = await NestFactory.createApplicationContext(AppModule.for(config, { chain, keySources, worker: false }), {
    abortOnError: false,
    logger: new ServiceLogger('warn'),
  });
  try {
    await checkIdentity(app.get(DataSource), chain);
    await app.get(ResealingService).requireKeys();
    const operators = app.get(OperatorsService);
    if (!(await operators.first())) console.log(`OPERATOR_KEY=${(await operators.create('first')).key.key}`);
    console.log('The service is set up.');
  } finally {
    await app.close();
    chain.close();
  }
}

async function prepareTestChain(
  { SOLANA_RPC_URL: [node = ''], USDC_MINT, FEE_PAYER_KEY, MINT_AUTHORITY_KEY }: Config,
  mint: LocalSigner,
  keySources: KeySources,
): Promise<void> {
  if (!MINT_AUTHORITY_KEY) throw new StartError('TEST_MINT_KEY needs MINT_AUTHORITY_KEY: the keypair that mints.');
  if (mint.address !== USDC_MINT) throw new StartError(`USDC_MINT must be ${mint.address}, the address of TEST_MINT_KEY.`);
  await createTestMint({
    rpcUrl: nodeAddress(node).url,
    feePayer: await keySources.signerOf('FEE_PAYER_KEY', FEE_PAYER_KEY),
    mint,
    mintAuthority: (await keySources.signerOf('MINT_AUTHORITY_KEY', MINT_AUTHORITY_KEY)).address,
  });
}

setUp().catch((error: unknown) => {
  console.error(error instanceof StartError ? error.message : error);
  process.exitCode = 1;
});
