import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxFacts } from '../../apps/api/src/sandbox/sandbox-file';
import { chainVariables } from './chain-variables';
import { copyCluster } from './cluster-copy';

const MAIN = join(__dirname, '..', '..', 'dist', 'apps', 'api', 'src', 'bin', 'server.js');
const READY_TIMEOUT_MS = 180_000;
/** Longer than the service gives itself. */
const STOP_TIMEOUT_MS = 70_000;
/** How much of a service's output is kept, to show it if the start fails. */
const KEPT_OUTPUT_CHARACTERS = 20_000;

/** The content of `sandbox.json`. */
export type Sandbox = SandboxFacts;

export interface ServiceOptions {
  /** Settings in addition to those of the harness. */
  variables?: Record<string, string>;
  /** The directory to start on; default a new one with a migrated database, which `stop` removes. */
  dataDir?: string;
  /** The command; default the built bin/server.js with this Node. */
  command?: string[];
}

/** A service in its own process, as users start it. */
export class Service {
  baseUrl = '';
  /** The output of the latest start. */
  output = '';
  sandbox: Sandbox;
  private child: ChildProcess | undefined;

  constructor(
    readonly dataDir: string,
    private readonly options: ServiceOptions,
  ) {}

  get operatorKey(): string {
    return this.sandbox.operator_key;
  }

  get pid(): number {
    if (this.child?.pid === undefined) throw new Error('The service is not running.');
    return this.child.pid;
  }

  get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Starts the process and waits for its `ready`. */
  async start(variables: Record<string, string> = {}): Promise<void> {
    const [program = process.execPath, ...args] = this.options.command ?? [process.execPath, MAIN];
    const environment = {
      ...withoutSettings(process.env),
      PORT: '0',
      LOG_LEVEL: 'warn',
      DATA_DIR: this.dataDir,
      ...chainVariables(),
      ...this.options.variables,
      ...variables,
    };
    this.output = '';
    const child = spawn(program, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    this.child = child;
    const keep = (chunk: Buffer): void => void (this.output = (this.output + chunk.toString()).slice(-KEPT_OUTPUT_CHARACTERS));
    child.stderr?.on('data', keep);
    child.stdout?.on('data', keep);
    await this.untilReady(child);
    this.baseUrl = /^BASE_URL=(.+)$/m.exec(this.output)?.[1] ?? '';
    const file = join(this.dataDir, 'sandbox.json');
    // A service with a given database and chain writes no sandbox.json.
    if (existsSync(file)) this.sandbox = JSON.parse(readFileSync(file, 'utf8')) as Sandbox;
  }

  /** Sends a signal to the service's own process, and waits until it has ended. @throws Error with its output if it does not stop in time */
  async kill(signal: NodeJS.Signals): Promise<void> {
    const child = this.child;
    this.child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill(signal);
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(late);
    if (signal !== 'SIGKILL' && (child.signalCode === 'SIGKILL' || child.exitCode === 1))
      throw new Error(`The service did not stop in time. It said:\n${this.output}`);
  }

  /** Stops the process by a signal, default SIGTERM, and starts it again on the same directory. */
  async restart({
    signal = 'SIGTERM',
    variables = {},
  }: {
    signal?: NodeJS.Signals;
    variables?: Record<string, string>;
  } = {}): Promise<void> {
    await this.kill(signal);
    await this.start(variables);
  }

  /** Stops the process and removes a directory that the harness created. */
  async stop(): Promise<void> {
    await this.kill('SIGTERM');
    if (this.options.dataDir === undefined) rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }

  private untilReady(child: ChildProcess): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => {
        clearTimeout(timer);
        reject(new Error(`The service ${why}. It said:\n${this.output}`));
      };
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        fail(`was not ready within ${READY_TIMEOUT_MS / 1000} s`);
      }, READY_TIMEOUT_MS);
      child.once('error', (error) => fail(`could not be started: ${error.message}`));
      child.once('close', (code) => fail(`ended with ${code}`));
      child.stdout?.on('data', () => {
        if (!/^ready$/m.test(this.output)) return;
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

/** Starts the built service on a free port and a new directory. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const service = newService(options);
  if (options.dataDir === undefined) await copyCluster(service.dataDir);
  await service.start();
  return service;
}

/** Starts the built service on a new, empty directory, as the first `npm start` does: it initializes and migrates the database. */
export async function startServiceFromNothing(options: ServiceOptions = {}): Promise<Service> {
  const service = newService(options);
  await service.start();
  return service;
}

function newService(options: ServiceOptions): Service {
  return new Service(options.dataDir ?? mkdtempSync(join(tmpdir(), 'aps-e2e-')), options);
}

/** The facts that tests need of a service that they did not start themselves. */
export type SharedService = Pick<Service, 'baseUrl' | 'operatorKey' | 'sandbox' | 'dataDir'> & { otherOperatorKey: string };

/** The service that all end-to-end tests share, started by the global set-up. */
export function sharedService(): SharedService {
  const text = process.env.TEST_SERVICE;
  if (text === undefined) throw new Error('The end-to-end tier starts the service that this test needs: npm run test:e2e.');
  return JSON.parse(text) as SharedService;
}

/** The environment of the tests, without their own variables and those that would change the service under test. */
function withoutSettings(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const settings =
    /^(TEST_.*|PORT|HOST|DATA_DIR|LOG_LEVEL|WORKER|USDC_MINT|PROGRAM_ID|FEE_PAYER_KEY|MINT_AUTHORITY_KEY|.*_ENCRYPTION_KEY|(DATABASE|REDIS|SOLANA_RPC|SOLANA_WS)_URL|npm_.*)$/;
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !settings.test(name)));
}
