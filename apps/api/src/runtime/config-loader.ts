/** Reads the settings from the environment. */
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { KeySourceError, KeySources, parted } from '../key-sources';
import { Config, Environment } from './config';

/** The settings that are required outside the sandbox, which creates them. */
const REQUIRED = {
  DATABASE_URL: 'the URL of a PostgreSQL',
  SOLANA_RPC_URL: "the URL of the chain's JSON-RPC",
  KEY_ENCRYPTION_KEY: '32 random bytes in base64, as `openssl rand -base64 32` prints them',
  OPERATOR_KEY_ENCRYPTION_KEY: '32 other random bytes in base64',
  FEE_PAYER_KEY: 'the path of the keypair file that pays the fees',
} as const;

/** A startup error, shown to the operator as one sentence without a stack trace. */
export class StartError extends Error {}

/** Variables that hold a secret, or an address with one in it. */
const IS_SECRET = /_KEYS?$|_URL$/;

/**
 * Returns the environment, with the keys that files and key services hold, and removes its secrets from `process.env`, which the diagnostic
 * report of a crash prints. @throws StartError for a key that cannot be read
 */
export async function takeEnvironment(): Promise<NodeJS.ProcessEnv> {
  const variables = { ...process.env };
  const named = Object.values(variables).flatMap((value) => parted(value ?? '').flatMap((key) => /^env:(.+)$/.exec(key)?.[1] ?? []));
  const secrets = Object.keys(new Config()).filter((name) => IS_SECRET.test(name));
  for (const name of [...secrets, ...named, 'VAULT_TOKEN']) delete process.env[name];
  try {
    return await new KeySources(variables).resolve();
  } catch (error) {
    throw error instanceof KeySourceError ? new StartError(error.message) : error;
  }
}

/** Reads the environment. What the sandbox creates may be missing. @throws StartError */
export function readEnvironment(variables: NodeJS.ProcessEnv): Environment {
  return read(Environment, variables);
}

/** Reads the complete settings. @throws StartError */
export function readConfig(variables: NodeJS.ProcessEnv): Config {
  const config = read(Config, variables);
  const missing = Object.entries(REQUIRED).filter(([name]) => Reflect.get(config, name) === undefined);
  if (missing.length > 0)
    throw new StartError(missing.map(([name, what]) => `${name} is missing: ${what}. Only the sandbox does without.`).join('\n'));
  if (config.KEY_ENCRYPTION_KEY.equals(config.OPERATOR_KEY_ENCRYPTION_KEY)) {
    throw new StartError(
      'KEY_ENCRYPTION_KEY and OPERATOR_KEY_ENCRYPTION_KEY must differ: a holder of the first must not be able to change limits.',
    );
  }
  return config;
}

function read<T extends Environment>(schema: new () => T, variables: NodeJS.ProcessEnv): T {
  const known = new Set(Object.keys(new schema()));
  // An empty variable is one that a compose file passed on without a value.
  const given = Object.fromEntries(
    Object.entries(variables).filter(([name, value]) => known.has(name) && value !== undefined && value !== ''),
  );
  const settings = plainToInstance(schema, given);
  const errors = validateSync(settings, { stopAtFirstError: true, validationError: { target: false, value: false } });
  const sentences = errors.flatMap((error) => Object.values(error.constraints ?? {}));
  if (sentences.length > 0) throw new StartError(sentences.join('\n'));
  return settings;
}
