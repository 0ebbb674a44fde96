import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedService, type SharedService } from './service';

const MAIN = join(__dirname, '..', '..', 'apps', 'example-provider', 'main.mjs');
const READY_TIMEOUT_MS = 30_000;

/** The chain that it stands beside. */
type ProviderChain = Pick<SharedService['sandbox'], 'rpc_url' | 'usdc_mint' | 'program_id'>;

/** The example provider in its own process, on the chain of a service. */
export class ExampleProvider {
  url = '';
  payee = '';
  output = '';
  private child: ChildProcess | undefined;
  private readonly dataDir = mkdtempSync(join(tmpdir(), 'aps-provider-'));

  constructor(
    private readonly sandbox: ProviderChain,
    private readonly variables: Record<string, string>,
  ) {}

  async start(): Promise<void> {
    const { rpc_url: SOLANA_RPC_URL, usdc_mint: USDC_MINT, program_id: PROGRAM_ID } = this.sandbox;
    const environment = {
      PATH: process.env.PATH,
      PORT: '0',
      DATA_DIR: this.dataDir,
      SOLANA_RPC_URL,
      USDC_MINT,
      PROGRAM_ID,
      ...this.variables,
    };
    this.output = '';
    const child = spawn(process.execPath, [MAIN], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), READY_TIMEOUT_MS);
      child.once('close', (code) => reject(new Error(`The provider ended with ${code}. It said:\n${this.output}`)));
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          this.output += chunk.toString();
          if (!/^ready$/m.test(this.output)) return;
          clearTimeout(timer);
          resolve();
        });
      }
    });
    const said = (name: string): string => new RegExp(`^${name}=(.+)$`, 'm').exec(this.output)?.[1] ?? '';
    [this.url, this.payee] = [said('PROVIDER_URL'), said('PAYEE')];
  }

  /** Stops the process: after SIGTERM it settles first, after SIGKILL it does nothing more. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  async stop(): Promise<void> {
    await this.kill('SIGTERM');
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

/** Starts the example provider on a free port. */
export async function startExampleProvider(
  variables: Record<string, string> = {},
  { sandbox }: { sandbox: ProviderChain } = sharedService(),
): Promise<ExampleProvider> {
  const provider = new ExampleProvider(sandbox, variables);
  await provider.start();
  return provider;
}
