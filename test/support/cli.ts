import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Body } from './api';
import { sharedService } from './service';

const APS = join(__dirname, '..', '..', 'dist', 'apps', 'cli', 'src', 'bin', 'aps.js');
const RUN_TIMEOUT_MS = 120_000;

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The built `aps` as a process. */
export class CliProcess {
  stdout = '';
  stderr = '';
  readonly ended: Promise<CliResult>;
  private readonly child: ChildProcess;

  constructor(args: string[], environment: Record<string, string>, directory: string) {
    this.child = spawn(process.execPath, [APS, ...args], {
      cwd: directory,
      env: { PATH: process.env.PATH, HOME: directory, XDG_CONFIG_HOME: directory, ...environment },
    });
    const timer = setTimeout(() => this.child.kill('SIGKILL'), RUN_TIMEOUT_MS);
    this.child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.child.stdin?.on('error', () => undefined);
    this.ended = new Promise((resolve) =>
      this.child.once('close', (code) => {
        clearTimeout(timer);
        resolve({ code, stdout: this.stdout, stderr: this.stderr });
      }),
    );
  }

  type(text: string): void {
    this.child.stdin?.write(text);
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }
}

/** The command line in a home directory of its own, as the operator of the shared service or with another key. */
export class Cli {
  readonly directory = mkdtempSync(join(tmpdir(), 'aps-cli-'));
  environment: Record<string, string>;

  constructor(environment?: Record<string, string>) {
    const { baseUrl, operatorKey } = sharedService();
    this.environment = environment ?? { APS_BASE_URL: baseUrl, APS_KEY: operatorKey };
  }

  start(...args: string[]): CliProcess {
    return new CliProcess(args, this.environment, this.directory);
  }

  /** Runs a command to its end, with this text on stdin. */
  run(args: string[], input = ''): Promise<CliResult> {
    const running = this.start(...args);
    running.type(input || '\n');
    return running.ended;
  }

  /** Runs a command with --json. Returns the value that it prints. */
  async json(...args: string[]): Promise<Body> {
    const { stdout, stderr } = await this.run([...args, '--json']);
    try {
      return JSON.parse(stdout);
    } catch {
      throw new Error(`aps ${args.join(' ')} printed no JSON: ${stdout}\n${stderr}`);
    }
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
