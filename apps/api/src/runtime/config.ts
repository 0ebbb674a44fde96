/** The settings: each variable of the environment with its check and its default. */
import { IsIn, IsOptional, Matches } from 'class-validator';
import {
  list,
  numbers,
  yesOrNo,
  sol,
  must,
  mustBeNodes,
  mustBeUrl,
  mustBeUrls,
  mustBeBetween,
  mustBeKey,
  mustBeKeypair,
  mustBeKeypairs,
  mustBeAddress,
  isSchedule,
  areProxies,
  isUrl,
} from './setting-checks';

/** The environment's variables. An invalid one stops the start with a sentence that names it. */
export class Environment {
  /** The port of the HTTP API; 0 takes a free one. */
  @mustBeBetween(0, 65_535)
  PORT = 3000;

  /** The address to listen on. The default is this machine alone; in a container set 0.0.0.0. */
  @must('be an IP address or a host name', (value) => typeof value === 'string' && /^[A-Za-z0-9.:_-]{1,253}$/.test(value))
  HOST = '127.0.0.1';

  /** The address of the API for its clients, which links in errors begin with. Without one, the address that it listens on. */
  @IsOptional()
  @must(
    'be an origin, such as https://pay.example.com',
    (value) => isUrl(value, ['http:', 'https:']) && new URL(String(value)).origin === value,
  )
  PUBLIC_URL?: string;

  /** The folder in which the sandbox keeps its database, chain and keys. */
  @Matches(/^[^\0]+$/, { message: '$property must be a path.' })
  DATA_DIR = '.data';

  /** The port of `/metrics`, for Prometheus alone. Without one, it is at PORT, and a worker of its own has none. */
  @IsOptional()
  @mustBeBetween(0, 65_535)
  METRICS_PORT?: number;

  /** An OpenTelemetry collector to which traces are sent over HTTP, without the path `/v1/traces`. Without one, none are made. */
  @IsOptional()
  @mustBeUrl('http:', 'https:')
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;

  /** A PostgreSQL to use. Without one, an embedded one is started under DATA_DIR. */
  @IsOptional()
  @mustBeUrl('postgres:', 'postgresql:')
  DATABASE_URL?: string;

  /** A Redis for the queue. Without one, the queue lives in PostgreSQL. */
  @IsOptional()
  @mustBeUrl('redis:', 'rediss:')
  REDIS_URL?: string;

  /**
   * The chain's JSON-RPC: one node, or several separated by commas, each a URL or `name=url;rps=50`: its name in metrics, and the most calls a
   * second that one process makes to it. Reads go to the best of them, transactions to all. Without one, an embedded chain is started: the sandbox.
   */
  @IsOptional()
  @list()
  @mustBeNodes()
  SOLANA_RPC_URL?: string[];

  /** Nodes that only take transactions, separated by commas: each transaction is sent to them too. */
  @IsOptional()
  @list()
  @mustBeNodes()
  SEND_RPC_URLS?: string[];

  /**
   * The chain's WebSocket: one node, or several separated by commas, of which the next one is tried if one fails. Without one, those of
   * SOLANA_RPC_URL.
   */
  @IsOptional()
  @list()
  @mustBeUrls('ws:', 'wss:')
  SOLANA_WS_URL?: string[];

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

  /** How long one call to one node of the chain may take, in milliseconds. */
  @mustBeBetween(100, 60_000)
  RPC_TIMEOUT_MS = 3_000;

  /** The most that one transaction pays as a priority fee, in lamports. */
  @mustBeBetween(0, 1_000_000_000)
  MAX_PRIORITY_FEE_LAMPORTS = 100_000;

  /** The least priority fee for a compute unit, in millionths of a lamport; more is paid if others pay more. */
  @mustBeBetween(0, 1_000_000_000)
  COMPUTE_UNIT_PRICE_MICRO_LAMPORTS = 0;

  /** The balance of the fee payer, in lamports, below which the service warns. */
  @mustBeBetween(0, 999_999_999_999_999)
  MIN_FEE_PAYER_LAMPORTS = 100_000_000;

  /**
   * The balance that the fee payer keeps for pauses, approvals, rotations and endings, in SOL: below it nothing else is sent.
   */
  @sol()
  @must('be an amount of SOL, such as 0.1', (value) => typeof value === 'bigint')
  FEE_PAYER_RESERVE = 100_000_000n;

  /** The most that the transactions of one account's orders may cost in 24 hours, in SOL; `off` for no bound, as in the sandbox. */
  @sol()
  @must('be an amount of SOL, such as 0.05, or off', (value) => typeof value === 'bigint' || value === null)
  FEE_BUDGET_PER_ACCOUNT: bigint | null = 50_000_000n;

  /** How many orders of one account wait for an operator's approval at once. */
  @mustBeBetween(1, 999_999_999)
  PENDING_APPROVALS_PER_ACCOUNT = 100;

  /** The size of the database, in bytes, above which new orders and payments are refused; 0 for no bound. */
  @mustBeBetween(0, 999_999_999_999_999)
  MAX_DATABASE_BYTES = 0;

  /** Encrypts the accounts' authority keys: 32 bytes in base64, or where they are kept (docs/guides/keys.md). The sandbox creates one. */
  @IsOptional()
  @mustBeKey()
  KEY_ENCRYPTION_KEY?: Buffer;

  /** Encrypts the operators' chain keys, which can change limits: another 32 bytes in base64. The sandbox creates one. */
  @IsOptional()
  @mustBeKey()
  OPERATOR_KEY_ENCRYPTION_KEY?: Buffer;

  /** The KEY_ENCRYPTION_KEY before a change: decrypts what it encrypted, and encrypts nothing. After `npm run reseal` it is not needed. */
  @IsOptional()
  @mustBeKey()
  PREVIOUS_KEY_ENCRYPTION_KEY?: Buffer;

  /** As `PREVIOUS_KEY_ENCRYPTION_KEY`, for OPERATOR_KEY_ENCRYPTION_KEY. */
  @IsOptional()
  @mustBeKey()
  PREVIOUS_OPERATOR_KEY_ENCRYPTION_KEY?: Buffer;

  /**
   * Pays the chain's fees: the path of a keypair file, its content, a JSON array of 64 numbers, or the name of a key in a key service
   * (docs/guides/keys.md). The sandbox creates one.
   */
  @IsOptional()
  @mustBeKeypair()
  FEE_PAYER_KEY?: Uint8Array | string;

  /** Pays for pauses, so that they do not wait behind what FEE_PAYER_KEY pays for: a keypair like it. Without one, FEE_PAYER_KEY pays. */
  @IsOptional()
  @mustBeKeypair()
  PAUSE_FEE_PAYER_KEY?: Uint8Array | string;

  /**
   * Pay for transfers in place of FEE_PAYER_KEY, in turn: up to 32 keypairs like it, separated by commas. One that holds less than
   * MIN_FEE_PAYER_LAMPORTS pays for nothing, one whose transaction expired rests for 30 seconds; while none can pay, FEE_PAYER_KEY does.
   */
  @mustBeKeypairs()
  FEE_PAYER_KEYS: (Uint8Array | string)[] = [];

  /** Fills the keys that pay fees from its own lamports: a keypair like FEE_PAYER_KEY. Without one, the operator funds each. */
  @IsOptional()
  @mustBeKeypair()
  TREASURY_KEY?: Uint8Array | string;

  /** With TREASURY_KEY: what a key that pays fees is filled up to once it holds less than half of it, in SOL. */
  @sol()
  @must('be an amount of SOL, such as 1', (value) => typeof value === 'bigint')
  FEE_PAYER_TOP_UP = 1_000_000_000n;

  /**
   * Mints test USDC if the service owns the mint: a keypair like FEE_PAYER_KEY. The sandbox creates one; elsewhere there is no faucet
   * without it.
   */
  @IsOptional()
  @mustBeKeypair()
  MINT_AUTHORITY_KEY?: Uint8Array | string;

  /** The keypair whose address is USDC_MINT, on a private chain: only `setup` uses it, to create the mint. */
  @IsOptional()
  @mustBeKeypair()
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

  /** How many payments of one key a process has under way at once, while their providers are called. */
  @mustBeBetween(1, 999_999_999)
  PROVIDER_CALLS_PER_KEY = 50;

  /** How many payments a process has under way at once, while their providers are called. */
  @mustBeBetween(1, 999_999_999)
  PROVIDER_CALLS = 500;

  /** How much memory a process has for the answers of providers that it reads at once, in bytes. An answer counts as long as it may become. */
  @mustBeBetween(104_857_600, 1_099_511_627_776)
  PROVIDER_ANSWER_BYTES = 536_870_912;

  /** How long the answer to a payment is kept whose provider asked for nothing, in seconds. */
  @mustBeBetween(1, 86_400)
  FREE_ANSWER_SECONDS = 900;

  /** How much is kept of the answer to a payment whose provider asked for nothing, in bytes. */
  @mustBeBetween(0, 1_048_576)
  FREE_ANSWER_BYTES = 65_536;

  /** How much is kept of all answers to an account's payments, in bytes. Beyond it answers are cut. */
  @mustBeBetween(0, 999_999_999_999)
  KEPT_ANSWER_BYTES_PER_ACCOUNT = 268_435_456;

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

  /** The form of the log: `json`, one object a line, or `text`. Without one, text on a terminal and JSON elsewhere. */
  @IsOptional()
  @IsIn(['json', 'text'], { message: '$property must be json or text.' })
  LOG_FORMAT?: 'json' | 'text';

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

  /** The place of the jobs: inside the API's process, or apart, in processes of `worker.js`. */
  @IsIn(['inside', 'apart'], { message: '$property must be inside or apart.' })
  WORKER: 'inside' | 'apart' = 'inside';
}

/** The settings of a running service: the environment, with what the sandbox creates filled in. Injected as itself. */
export class Config extends Environment {
  declare DATABASE_URL: string;
  declare SOLANA_RPC_URL: string[];
  declare KEY_ENCRYPTION_KEY: Buffer;
  declare OPERATOR_KEY_ENCRYPTION_KEY: Buffer;
  declare FEE_PAYER_KEY: Uint8Array | string;
}
