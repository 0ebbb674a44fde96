/** `npm run operator -- create --name X` makes an operator, `… key --operator op_…` one more key for it. Each key is printed once. */
import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import { migrate } from '#database';
import { AppModule } from './app.module';
import { readConfig, readEnvironment, StartError, type Config } from './config';
import { DomainError } from './http/domain.errors';
import { ServiceLogger } from './logger';
import { codePoints } from './http/text';
import { OperatorsService } from './keys/operators.service';
import { sandboxKeys } from './sandbox/key-files';
import { rememberedFact } from './sandbox/sandbox-file';

const USAGE = 'Usage: npm run operator -- create --name <name> | key --operator <op_…>';
const MAX_NAME_CHARACTERS = 100;

async function run(): Promise<void> {
  const order = readOrder(process.argv.slice(2));
  const config = settings(process.env);
  await migrate(config.DATABASE_URL);
  const app = await NestFactory.createApplicationContext(AppModule.for(config), { abortOnError: false, logger: new ServiceLogger('warn') });
  try {
    const operators = app.get(OperatorsService);
    if ('name' in order) {
      const { operator, key } = await operators.create(order.name);
      console.log(`OPERATOR_ID=${operator.id}\nOPERATOR_KEY=${key.key}`);
    } else console.log(`OPERATOR_KEY=${(await operators.createKey(order.operatorId)).key}`);
  } finally {
    await app.close();
  }
}

function readOrder(words: string[]): { name: string } | { operatorId: string } {
  const { values, positionals } = parseOrUsage(words);
  const [verb, ...more] = positionals;
  const name = values.name?.trim() ?? '';
  if (verb === 'create' && more.length === 0 && name !== '' && codePoints(name) <= MAX_NAME_CHARACTERS) return { name };
  if (verb === 'key' && more.length === 0 && values.operator !== undefined) return { operatorId: values.operator };
  throw new StartError(USAGE);
}

function parseOrUsage(words: string[]): { values: { name?: string; operator?: string }; positionals: string[] } {
  try {
    return parseArgs({ args: words, allowPositionals: true, options: { name: { type: 'string' }, operator: { type: 'string' } } });
  } catch {
    throw new StartError(USAGE);
  }
}

/** In the sandbox the running service says where its database is, and its keys are in files. */
function settings(variables: NodeJS.ProcessEnv): Config {
  const { DATA_DIR, DATABASE_URL, SOLANA_RPC_URL } = readEnvironment(variables);
  const database = DATABASE_URL ?? rememberedFact(DATA_DIR, 'database_url');
  if (database === undefined) throw new StartError('DATABASE_URL is missing, and no sandbox was ever started here: run npm start first.');
  const chain = SOLANA_RPC_URL === undefined ? { ...sandboxKeys(DATA_DIR, variables), SOLANA_RPC_URL: 'http://127.0.0.1' } : {};
  return readConfig({ ...variables, ...chain, DATABASE_URL: database });
}

run().catch((error: unknown) => {
  const refused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
  if (refused) console.error('The database does not answer: start the service, or set DATABASE_URL.');
  else console.error(error instanceof StartError || error instanceof DomainError ? error.message : error);
  process.exitCode = 1;
});
