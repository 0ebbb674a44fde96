/**
 * `npm run operator -- create --name X` creates an operator, `… key --operator op_…` another key for one. Each key is printed once.
 * `… sign-keys` trusts the API keys and pinned providers from before there were codes of them: look at them first.
 */
import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module';
import { StartError, takeEnvironment } from '../runtime/config-loader';
import { DomainError } from '../http/domain.errors';
import { ServiceLogger } from '../runtime/observability/logger';
import { codePoints } from '../http/validation/text';
import { openDatabase } from '../runtime/connections/database-connection';
import { OperatorsService } from '../keys';
import { RowMacs } from '../secrets';
import { runningSettings } from '../sandbox';

const USAGE = 'Usage: npm run operator -- create --name <name> | key --operator <op_…> | sign-keys';
const MAX_NAME_CHARACTERS = 100;

async function run(): Promise<void> {
  const command = readCommand(process.argv.slice(2));
  const config = runningSettings(await takeEnvironment());
  await openDatabase(config.DATABASE_URL);
  const app = await NestFactory.createApplicationContext(AppModule.for(config), { abortOnError: false, logger: new ServiceLogger('warn') });
  try {
    if (command === 'sign-keys') {
      console.log(`${await app.get(RowMacs).rewrite({ areTrusted: true })} rows were signed.`);
      return;
    }
    const operators = app.get(OperatorsService);
    if ('name' in command) {
      const { operator, key } = await operators.create(command.name);
      console.log(`OPERATOR_ID=${operator.id}\nOPERATOR_KEY=${key.key}`);
    } else console.log(`OPERATOR_KEY=${(await operators.createKey(command.operatorId)).key}`);
  } finally {
    await app.close();
  }
}

function readCommand(words: string[]): { name: string } | { operatorId: string } | 'sign-keys' {
  const { values, positionals } = parseOrUsage(words);
  const [verb, ...more] = positionals;
  const name = values.name?.trim() ?? '';
  if (verb === 'create' && more.length === 0 && name !== '' && codePoints(name) <= MAX_NAME_CHARACTERS) return { name };
  if (verb === 'key' && more.length === 0 && values.operator !== undefined) return { operatorId: values.operator };
  if (verb === 'sign-keys' && more.length === 0) return verb;
  throw new StartError(USAGE);
}

function parseOrUsage(words: string[]): { values: { name?: string; operator?: string }; positionals: string[] } {
  try {
    return parseArgs({ args: words, allowPositionals: true, options: { name: { type: 'string' }, operator: { type: 'string' } } });
  } catch {
    throw new StartError(USAGE);
  }
}

run().catch((error: unknown) => {
  console.error(error instanceof StartError || error instanceof DomainError ? error.message : error);
  process.exitCode = 1;
});
