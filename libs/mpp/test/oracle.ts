/** Stock mppx, to compare with. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

export class Oracle {
  private readonly process: ChildProcessByStdio<Writable, Readable, null>;
  private readonly lines: Interface;
  private readonly waiting: ((line: string) => void)[] = [];

  constructor() {
    this.process = spawn(process.execPath, [join(__dirname, 'mppx-lines.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.lines = createInterface({ input: this.process.stdout }).on('line', (line) => this.waiting.shift()?.(line));
  }

  /** The answer of mppx. @throws Error if mppx does. */
  async ask<T>(name: string, ...args: unknown[]): Promise<T> {
    const line = await new Promise<string>((resolve) => {
      this.waiting.push(resolve);
      this.process.stdin.write(`${JSON.stringify([name, ...args])}\n`);
    });
    const { result, error } = JSON.parse(line) as { result: T; error?: string };
    if (error !== undefined) throw new Error(error);
    return result;
  }

  close(): void {
    this.lines.close();
    this.process.kill();
  }
}
