import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { plainToInstance, Transform, type TransformFnParams } from 'class-transformer';
import { IsIn, IsInt, IsOptional, Matches, Max, Min, ValidateBy, validateSync } from 'class-validator';
import { LocalSigner, isAddress } from '#chain';

const KEY_BYTES = 32;
const KEYPAIR_BYTES = 64;
const MAX_RETRIES = 20;
const MAX_RETRY_SECONDS = 86_400;
/** The names that Express has for networks. */
const PROXY_NETWORKS = new Set(['loopback', 'linklocal', 'uniquelocal']);

const wholeNumber = (): PropertyDecorator =>
  Transform(({ value }: TransformFnParams) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value));
const list = (): PropertyDecorator =>
  Transform(({ value }: TransformFnParams) => (typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value));
const numbers = (): PropertyDecorator =>
  Transform(({ value }: TransformFnParams) =>
    typeof value === 'string' && /^\d{1,5}( *, *\d{1,5})*$/.test(value) ? value.split(',').map(Number) : value,
  );
const yesOrNo = (): PropertyDecorator =>
  Transform(({ value }: TransformFnParams) => (value === 'true' ? true : value === 'false' ? false : value));
const base64 = (): PropertyDecorator =>
  Transform(({ value }: TransformFnParams) =>
    typeof value === 'string' && /^[A-Za-z0-9+/]{43}=$/.test(value) ? Buffer.from(value, 'base64') : value,
  );
const keypair = (): PropertyDecorator =>
  Transform(({ value }: TransformFnParams) => (typeof value === 'string' ? readKeypair(value) : value));

/** A check with the sentence that follows the variable's name. The message never contains the value, which may be a secret. */
const must = (sentence: string, valid: (value: unknown) => boolean): PropertyDecorator =>
  ValidateBy({ name: 'must', validator: { validate: valid, defaultMessage: () => `$property must ${sentence}.` } });
const mustBeUrl = (...protocols: string[]): PropertyDecorator =>
  must(`be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`, (value) => isUrl(value, protocols));
const mustBeBetween =
  (min: number, max: number): PropertyDecorator =>
  (target, property) => {
    const message = `$property must be a whole number from ${min} to ${max}.`;
    wholeNumber()(target, property);
    IsInt({ message })(target, property);
    Min(min, { message })(target, property);
    Max(max, { message })(target, property);
  };
const mustBeKey = (): PropertyDecorator =>
  must(
    'be 32 random bytes in base64, as `openssl rand -base64 32` prints them',
    (value) => value instanceof Buffer && value.length === KEY_BYTES,
  );
const mustBeAddress = (): PropertyDecorator =>
  must('be a chain address: 32 bytes in base58', (value) => typeof value === 'string' && isAddress(value));

/** The environment's variables. An invalid one stops the start with a sentence that names it. */
export class Environment {
  /** The port of the HTTP API; 0 takes a free one. */
  @mustBeBetween(0, 65_535)
  PORT = 3000;

  /** The address to listen on. The default is this machine alone; in a container set 0.0.0.0. */
  @must('be an IP address or a host name', (value) => typeof value === 'string' && /^[A-Za-z0-9.:_-]{1,253}$/.test(value))
  HOST = '127.0.0.1';

  /** Where the sandbox keeps its database, chain and keys. */
  @Matches(/^[^\0]+$/, { message: '$property must be a path.' })
  DATA_DIR = '.data';

  /** A PostgreSQL to use. Without one, an embedded one is started under DATA_DIR. */
  @IsOptional()
  @mustBeUrl('postgres:', 'postgresql:')
  DATABASE_URL?: string;

  /** A Redis for the queue. Without one, the queue lives in PostgreSQL. */
  @IsOptional()
  @mustBeUrl('redis:', 'rediss:')
  REDIS_URL?: string;

  /**
   * The chain's JSON-RPC: one URL, or several separated by commas, tried in turn. Without one, an embedded chain is started: the sandbox.
   */
  @IsOptional()
  @list()
  @must(
    'be a list of URLs that begin with http:// or https://, separated by commas',
    (value) => Array.isArray(value) && value.length > 0 && value.every((url) => isUrl(url, ['http:', 'https:'])),
  )
  SOLANA_RPC_URL?: string[];

  /** The chain's WebSocket. Without one, it is derived from the first SOLANA_RPC_URL. */
  @IsOptional()
  @mustBeUrl('ws:', 'wss:')
  SOLANA_WS_URL?: string;

  /** The USDC mint. Without one, the cluster's own: a test mint on a local chain. */
  @IsOptional()
  @mustBeAddress()
  USDC_MINT?: string;

  /** The address of the policy program. Without one, the address that the committed program was built with. */
  @IsOptional()
  @mustBeAddress()
  PROGRAM_ID?: string;

  /** When a transfer counts as settled. */
  @IsIn(['confirmed', 'finalized'], { message: '$property must be confirmed or finalized.' })
  SETTLEMENT_COMMITMENT: 'confirmed' | 'finalized' = 'confirmed';

  /** How long a request waits for settlement before it answers 202, in milliseconds. */
  @mustBeBetween(0, 120_000)
  SETTLEMENT_WAIT_MS = 30_000;

  /**
   * How long a stopping process still takes requests while /ready answers 503, in milliseconds. It must be longer than a load balancer
   * takes to notice.
   */
  @mustBeBetween(0, 20_000)
  DRAIN_DELAY_MS = 500;

  /** For how long a transfer whose blockhash expired is signed again, in seconds. */
  @mustBeBetween(0, 86_400)
  RESIGN_FOR_SECONDS = 900;

  /**
   * How long the work of a dead process waits until another process claims it, in milliseconds. A live process renews its leases three
   * times in that time.
   */
  @mustBeBetween(1_000, 600_000)
  LEASE_MS = 10_000;

  /** How long vouchers wait to be settled on chain, in seconds, unless half of the cap is signed or the session ends. */
  @mustBeBetween(1, 2_592_000)
  SESSION_SETTLE_AFTER_SECONDS = 600;

  /** How long a session stays open without a payment, in seconds. */
  @mustBeBetween(1, 2_592_000)
  SESSION_IDLE_SECONDS = 3_600;

  /** How long a transfer waits for an operator's approval, in seconds. */
  @mustBeBetween(1, 31_536_000)
  APPROVAL_TTL_SECONDS = 86_400;

  /** How long an idempotency key stays in use after its transfer became final, in seconds. */
  @mustBeBetween(1, 31_536_000)
  IDEMPOTENCY_TTL_SECONDS = 86_400;

  /** How long one call to the chain's RPC may take, in milliseconds. */
  @mustBeBetween(100, 60_000)
  RPC_TIMEOUT_MS = 3_000;

  /** The priority fee for a compute unit, in millionths of a lamport. */
  @mustBeBetween(0, 1_000_000_000)
  COMPUTE_UNIT_PRICE_MICRO_LAMPORTS = 0;

  /** The balance of the fee payer, in lamports, below which the service warns. */
  @mustBeBetween(0, 999_999_999_999_999)
  MIN_FEE_PAYER_LAMPORTS = 100_000_000;

  /** Encrypts the accounts' authority keys: 32 bytes in base64. The sandbox creates one. */
  @IsOptional()
  @base64()
  @mustBeKey()
  KEY_ENCRYPTION_KEY?: Buffer;

  /** Encrypts the operators' chain keys, which can change limits: another 32 bytes in base64. The sandbox creates one. */
  @IsOptional()
  @base64()
  @mustBeKey()
  OPERATOR_KEY_ENCRYPTION_KEY?: Buffer;

  /** The KEY_ENCRYPTION_KEY before a change: decrypts what it encrypted, and encrypts nothing. After `npm run reseal` it is not needed. */
  @IsOptional()
  @base64()
  @mustBeKey()
  PREVIOUS_KEY_ENCRYPTION_KEY?: Buffer;

  /** As `PREVIOUS_KEY_ENCRYPTION_KEY`, for OPERATOR_KEY_ENCRYPTION_KEY. */
  @IsOptional()
  @base64()
  @mustBeKey()
  PREVIOUS_OPERATOR_KEY_ENCRYPTION_KEY?: Buffer;

  /** Pays the chain's fees: the path of a keypair file, or its content, a JSON array of 64 numbers. The sandbox creates one. */
  @IsOptional()
  @keypair()
  @must(
    'be the path of a readable keypair file, or a JSON array of its 64 numbers',
    (value) => value instanceof Uint8Array && isKeypair(value),
  )
  FEE_PAYER_KEY?: Uint8Array;

  /**
   * Mints test USDC where the service owns the mint: a keypair like FEE_PAYER_KEY. The sandbox creates one; elsewhere there is no faucet
   * without it.
   */
  @IsOptional()
  @keypair()
  @must(
    'be the path of a readable keypair file, or a JSON array of its 64 numbers',
    (value) => value instanceof Uint8Array && isKeypair(value),
  )
  MINT_AUTHORITY_KEY?: Uint8Array;

  /** The keypair whose address is USDC_MINT, on a private chain: only `setup` uses it, to create the mint. */
  @IsOptional()
  @keypair()
  @must(
    'be the path of a readable keypair file, or a JSON array of its 64 numbers',
    (value) => value instanceof Uint8Array && isKeypair(value),
  )
  TEST_MINT_KEY?: Uint8Array;

  /** The page of a transaction in an explorer, with {signature} in it. Without one, explorer.solana.com for the cluster in use. */
  @IsOptional()
  @must('be a URL with {signature} in it', (value) => isUrl(value, ['http:', 'https:']) && String(value).includes('{signature}'))
  EXPLORER_URL_TEMPLATE?: string;

  /** Whether webhooks and providers may use http and private addresses. Only the sandbox sets it by default. */
  @yesOrNo()
  @must('be true or false', (value) => typeof value === 'boolean')
  ALLOW_PRIVATE_URLS = false;

  /** The seconds to wait before each retry of a failed delivery, separated by commas. After the last one it is undelivered. */
  @numbers()
  @must('be 1 to 20 whole numbers from 0 to 86400, separated by commas', isSchedule)
  WEBHOOK_RETRY_SECONDS: number[] = [30, 300, 1_800, 7_200];

  /** How long a webhook's receiver may take to answer, in milliseconds. */
  @mustBeBetween(100, 60_000)
  WEBHOOK_TIMEOUT_MS = 15_000;

  /**
   * How the maintainers of browsers' push services reach those of this service: `mailto:…` or `https://…`. Safari's push service takes no
   * message without it.
   */
  @IsOptional()
  @must('be a URL that begins with mailto: or https://', (value) => isUrl(value, ['mailto:', 'https:']))
  PUSH_CONTACT?: string;

  /** How many requests of one key a process takes in a minute. */
  @mustBeBetween(1, 999_999_999)
  RATE_LIMIT_PER_KEY = 30_000;

  /** How many requests from one address a process takes in a minute. Behind a proxy, set TRUSTED_PROXIES too: else all are from the proxy. */
  @mustBeBetween(1, 999_999_999)
  RATE_LIMIT_PER_ADDRESS = 60_000;

  /** How many requests with a wrong key a process answers with 401 for one address in a minute, before it answers 429. */
  @mustBeBetween(1, 999_999_999)
  RATE_LIMIT_WRONG_KEYS = 6_000;

  /**
   * The proxies in front of this service, whose `X-Forwarded-For` names the address of a request: addresses and networks separated by commas, or
   * `loopback`, `linklocal` and `uniquelocal`. Without any, the address is that of the connection.
   */
  @list()
  @must('be a list of IP addresses, networks such as 10.0.0.0/8, loopback, linklocal and uniquelocal, separated by commas', areProxies)
  TRUSTED_PROXIES: string[] = [];

  /** For tests on a local chain: the failpoint that kills the process, one of those in failpoints.ts. */
  @IsOptional()
  @Matches(/^[a-z]+\.[a-z_]+$/, { message: '$property must be the name of a failpoint.' })
  CRASH_AT?: string;

  /** The least important messages that are logged. */
  @IsIn(['fatal', 'error', 'warn', 'log', 'debug', 'verbose'], {
    message: '$property must be one of fatal, error, warn, log, debug and verbose.',
  })
  LOG_LEVEL: 'fatal' | 'error' | 'warn' | 'log' | 'debug' | 'verbose' = 'log';

  /**
   * Host names, separated by commas, that requests to /mcp may name in Host and Origin, beside localhost. Without any, a service that listens
   * on this machine alone takes only localhost, and any other service every Host, and neither takes another Origin.
   */
  @list()
  @must(
    'be a list of host names without ports, separated by commas',
    (value) => Array.isArray(value) && value.every((name) => typeof name === 'string' && /^[a-z0-9.-]{1,253}$/i.test(name)),
  )
  MCP_ALLOWED_HOSTS: string[] = [];

  /** Where jobs run: inside the API's process, or apart, in processes of `worker.js`. */
  @IsIn(['inside', 'apart'], { message: '$property must be inside or apart.' })
  WORKER: 'inside' | 'apart' = 'inside';
}

/** The settings of a running service: the environment, with what the sandbox creates filled in. Injected as itself. */
export class Config extends Environment {
  declare DATABASE_URL: string;
  declare SOLANA_RPC_URL: string[];
  declare KEY_ENCRYPTION_KEY: Buffer;
  declare OPERATOR_KEY_ENCRYPTION_KEY: Buffer;
  declare FEE_PAYER_KEY: Uint8Array;
}

/** What must be set outside the sandbox, which creates it. */
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
const IS_SECRET = /_KEY$|_URL$/;

/** Returns the environment and removes its secrets from `process.env`, which the diagnostic report of a crash prints. */
export function takeEnvironment(): NodeJS.ProcessEnv {
  const variables = { ...process.env };
  for (const name of Object.keys(new Config())) if (IS_SECRET.test(name)) delete process.env[name];
  return variables;
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

function isSchedule(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length >= 1 &&
    value.length <= MAX_RETRIES &&
    value.every((seconds) => Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_RETRY_SECONDS)
  );
}

function areProxies(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string' && (PROXY_NETWORKS.has(each) || isNetwork(each)));
}

/** An IP address, or a network by its address and the length of its prefix. */
function isNetwork(text: string): boolean {
  const [address = '', prefix, ...others] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return others.length === 0 && bits > 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits));
}

function isUrl(value: unknown, protocols: string[]): boolean {
  return typeof value === 'string' && URL.canParse(value) && protocols.includes(new URL(value).protocol);
}

function readKeypair(value: string): unknown {
  try {
    const numbers: unknown = JSON.parse(value.trimStart().startsWith('[') ? value : readFileSync(value, 'utf8'));
    if (!Array.isArray(numbers) || !numbers.every((number) => Number.isInteger(number) && number >= 0 && number <= 255)) return value;
    return Uint8Array.from(numbers);
  } catch {
    // The check of the variable reports it.
    return value;
  }
}

/** Whether the second half is the public key of the first, so that a damaged file is found at the start and not on chain. */
function isKeypair(bytes: Uint8Array): boolean {
  if (bytes.length !== KEYPAIR_BYTES) return false;
  return LocalSigner.fromSeed(bytes).publicKey.every((byte, index) => byte === bytes[KEY_BYTES + index]);
}
