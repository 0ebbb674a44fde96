/** A complete service in separate processes, each of which can be killed: a database, a chain, two APIs and a worker. */
import { execFile } from 'node:child_process';
import { DatabaseError, type Client } from 'pg';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROGRAM_ADDRESS, PROGRAM_FILE } from '#chain';
import { startEmbeddedPostgres } from '#embedded-postgres';
import { startEmbeddedChain, type EmbeddedChain } from '#litesvm-rpc';
import { networkNames } from '#x402';
import { ChainProxy } from '../support/chain-proxy';
import { newSettings } from '../support/chain-under-test';
import { DiskFull, takeAllConnections } from './database-faults';
import type { Api } from '../support/api';
import { Service } from '../support/service';
import { anAccount, rpc, type TestAccount } from '../support/world';
import { startX402Seller, type X402Seller } from '../support/x402-sellers/start';

const BUILT = join(__dirname, '..', '..', 'dist', 'apps', 'api', 'src', 'bin');

/** Recovery within seconds keeps a round short. */
const SETTINGS = {
  WORKER: 'apart',
  ALLOW_PRIVATE_URLS: 'true',
  LEASE_MS: '1000',
  SETTLEMENT_WAIT_MS: '3000',
  RPC_TIMEOUT_MS: '2000',
  LOG_LEVEL: 'error',
};

/** The code of PostgreSQL's error when all connections are taken. */
const TOO_MANY_CONNECTIONS = '53300';

const SHOWN_OUTPUT_CHARACTERS = 2_000;

/** Micro-USDC for a call of the shop. */
export const SHOP_PRICE = 10_000n;

/** A stock x402 seller with its facilitator, in a process of its own that no fault kills. */
export type Shop = X402Seller & { payee: TestAccount };

export type Part = 'api' | 'worker' | 'chain' | 'database';

export class Site {
  readonly databaseUrl: string;
  operatorKey = '';
  private readonly killed = new Set<Part>();
  private readonly apis: Service[] = [];
  private takenConnections: Client[] = [];
  private x402Shop: Shop | undefined;
  private readonly workers: Service[] = [];

  private constructor(
    private readonly directory: string,
    private chain: EmbeddedChain,
    private postgres: { url: string; stop(): Promise<void> },
    readonly proxy: ChainProxy,
    private readonly variables: Record<string, string>,
  ) {
    this.databaseUrl = postgres.url;
  }

  static async start(): Promise<Site> {
    const directory = mkdtempSync(join(tmpdir(), 'aps-chaos-'));
    const chain = await startChain(directory);
    const postgres = await startEmbeddedPostgres({ dataDir: directory });
    const proxy = await ChainProxy.start({ rpc_url: chain.rpcUrl, ws_url: chain.wsUrl });
    const variables = {
      ...(await newSettings(chain)),
      SOLANA_RPC_URL: proxy.url,
      SOLANA_WS_URL: proxy.webSocketUrl,
      DATABASE_URL: postgres.url,
      ...SETTINGS,
    };
    const site = new Site(directory, chain, postgres, proxy, variables);
    await site.startProcesses();
    return site;
  }

  /** The chain itself, without the proxy. */
  get chainUrl(): string {
    return this.chain.rpcUrl;
  }

  /** The settings that a provider needs. */
  get money(): { usdc_mint: string; program_id: string } {
    return { usdc_mint: this.variables.USDC_MINT ?? '', program_id: PROGRAM_ADDRESS };
  }

  /** One of the two APIs. */
  baseUrl(which: number): string {
    return this.apis[which % this.apis.length]?.baseUrl ?? '';
  }

  /** The x402 seller of all rounds. Its start takes seconds, so that the first call starts it. */
  async shop(by: Api): Promise<Shop> {
    if (this.x402Shop) return this.x402Shop;
    const payee = await anAccount({ by });
    const network = networkNames(String(await rpc('getGenesisHash', [], this.chainUrl))).caip2;
    const terms = { mint: this.money.usdc_mint, payTo: payee.address, network, price: SHOP_PRICE };
    this.x402Shop = { ...(await startX402Seller('express-v2', { rpcUrl: this.chainUrl, ...terms })), payee };
    return this.x402Shop;
  }

  /** Kills a process that still runs. */
  async kill(part: Part): Promise<void> {
    if (this.killed.has(part)) return;
    this.killed.add(part);
    if (part === 'chain') process.kill(this.chain.pid, 'SIGKILL');
    else if (part === 'database')
      process.kill(Number(readFileSync(join(this.directory, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL');
    else await (part === 'api' ? this.apis : this.workers)[0]?.kill('SIGKILL');
  }

  /** Shuts the database down; `heal` starts it. */
  async stopDatabase(): Promise<void> {
    if (this.killed.has('database')) return;
    this.killed.add('database');
    await this.postgres.stop();
  }

  /** Leaves the database no connection for the service, until `heal`. */
  async exhaustConnections(): Promise<void> {
    this.takenConnections = await takeAllConnections(this.databaseUrl).catch((error: unknown) => this.ignoreIfClosed(error, []));
  }

  /** Lets every write fail as on a full disk, until `heal`. */
  async fillDisk(): Promise<void> {
    await DiskFull.begin(this.databaseUrl).catch((error: unknown) => this.ignoreIfClosed(error, undefined));
  }

  /** A fault of the database fails where another fault has killed it, or has left it no connection. */
  private ignoreIfClosed<T>(error: unknown, instead: T): T {
    const isFull = error instanceof DatabaseError && error.code === TOO_MANY_CONNECTIONS;
    if (!isFull && !this.killed.has('database')) throw error;
    return instead;
  }

  /** Starts everything that was killed, and stops the proxy's faults. */
  async heal(): Promise<void> {
    await this.proxy.up();
    await Promise.all(this.takenConnections.splice(0).map((client) => client.end()));
    if (this.killed.has('chain')) this.chain = await startChain(this.directory, Number(new URL(this.chain.rpcUrl).port));
    if (this.killed.has('database'))
      this.postgres = await startEmbeddedPostgres({ dataDir: this.directory, port: Number(new URL(this.databaseUrl).port) });
    await DiskFull.end(this.databaseUrl);
    if (this.killed.has('api')) await this.apis[0]?.start({ PORT: new URL(this.baseUrl(0)).port });
    if (this.killed.has('worker')) await this.workers[0]?.start();
    this.killed.clear();
  }

  /** Processes that have ended without a kill of the test, each with the end of its output. */
  deadProcesses(): string[] {
    return [...this.apis, ...this.workers]
      .filter((service) => !service.isRunning)
      .map((service) => `bug: a process has ended: ${service.output.slice(-SHOWN_OUTPUT_CHARACTERS)}`);
  }

  /** The log of the APIs since their last start, from the id of a request on. */
  logFrom(requestId: string): string[] {
    return this.apis
      .filter(({ output }) => output.includes(requestId))
      .map(({ output }) => output.slice(output.indexOf(requestId)).slice(0, SHOWN_OUTPUT_CHARACTERS));
  }

  /** Output and exit code of `npm run reconcile`. */
  async reconcile(): Promise<{ drifts: unknown[]; repaired: string[]; unexplained: string[]; sums: string[] }> {
    const { stdout } = await this.run('reconcile.js').catch((error: { stdout: string }) => error);
    return JSON.parse(stdout) as { drifts: unknown[]; repaired: string[]; unexplained: string[]; sums: string[] };
  }

  async stop(): Promise<void> {
    await Promise.all([...this.apis, ...this.workers].map((service) => service.kill('SIGTERM')));
    await this.x402Shop?.stop();
    await this.proxy.down();
    await this.chain.stop();
    await this.postgres.stop();
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }

  private async startProcesses(): Promise<void> {
    const process_ = (name: string, ...command: string[]) =>
      new Service(join(this.directory, name), { variables: this.variables, command: [process.execPath, ...command] });
    this.apis.push(process_('first', join(BUILT, 'server.js')));
    await this.apis[0]?.start();
    this.apis.push(process_('second', join(BUILT, 'server.js')));
    this.workers.push(process_('worker', join(BUILT, 'worker.js')));
    await Promise.all([this.apis[1]?.start(), this.workers[0]?.start()]);
    const { stdout } = await this.run('operator.js', 'create', '--name', 'chaos');
    this.operatorKey = /^OPERATOR_KEY=(.+)$/m.exec(stdout)?.[1] ?? '';
  }

  private run(file: string, ...words: string[]): Promise<{ stdout: string }> {
    return promisify(execFile)(process.execPath, [join(BUILT, file), ...words], {
      env: { PATH: process.env.PATH, ...this.variables, SOLANA_RPC_URL: this.chainUrl },
    });
  }
}

function startChain(directory: string, port?: number): Promise<EmbeddedChain> {
  return startEmbeddedChain({ dataDir: directory, programs: [{ programId: PROGRAM_ADDRESS, file: PROGRAM_FILE }], port });
}
