/** The tools of commands: the client, the standard streams, and the interruption by Ctrl-C. */
import { createInterface } from 'node:readline';
import { AgentPayments, type PagePromise } from '#client';
import type { Command } from 'commander';
import { type Keypair, readKeypair } from './custody/keypair';
import { Exit, ExitCode, UsageError } from './output/exit-codes';
import { card, table, type Columns } from './output/output';
import { readSettings } from './settings';

/** The default of --limit. */
const LIST_LIMIT = 20;
const MAX_KEY_CHARACTERS = 1_000;

/** Registers a command with its options and its action. */
export type Register = (program: Command, context: Context) => void;

export class Context {
  /** Whether --json is given. */
  json = false;
  /** The file of the operator's chain key, of --keypair or APS_KEYPAIR. */
  keypairPath: string | undefined;
  /** The address of agent_policy, of --program-id or APS_PROGRAM_ID; undefined for the one that it was built with. */
  programId: string | undefined;

  constructor(
    /** Aborted by Ctrl-C. */
    readonly signal: AbortSignal,
    private readonly interrupt: () => void,
  ) {}

  /** A client of the settings, whose requests end at Ctrl-C. @throws UsageError */
  client(settings = readSettings()): AgentPayments {
    const { key: apiKey, baseUrl: baseURL } = settings;
    if (!/^https?:/.test(baseURL) || !URL.canParse(baseURL))
      throw new UsageError(`The base URL must begin with http:// or https://: ${baseURL}`);
    const fetch: typeof globalThis.fetch = (input, init) =>
      globalThis.fetch(
        input instanceof Request ? new Request(input, { signal: AbortSignal.any([input.signal, this.signal]) }) : input,
        init,
      );
    return new AgentPayments({ apiKey, baseURL, fetch });
  }

  /** The operator's chain key, if its file is named. @throws UsageError if the file is missing, malformed, or others can read it */
  keypair(): Keypair | undefined {
    return this.keypairPath === undefined ? undefined : readKeypair(this.keypairPath);
  }

  /** The account to use: the given one, or the only one of an agent key. @throws UsageError */
  async account(client: AgentPayments, given: string | undefined): Promise<string> {
    const id = given ?? process.env.APS_ACCOUNT;
    if (id) return id;
    const { accounts } = await client.me();
    const [only, ...others] = accounts ?? [];
    if (only && others.length === 0) return only.account_id;
    throw new UsageError('Name the account by its option or by APS_ACCOUNT: the key may use more than one.');
  }

  /** Prints a value with --json, or else a text. */
  print(value: unknown, text: string): void {
    process.stdout.write(`${this.json ? JSON.stringify(value, null, 2) : text}\n`);
  }

  /** Prints an object. */
  show<T extends object>(value: T, fields: Parameters<typeof card>[0]): void {
    this.print(value, card(fields));
  }

  /**
   * Prints the first entries of a list, at most `limit`. Reads no further page than it needs. `columns` may be a function of the entries,
   * such as one that reads the names of their accounts; it is not called with --json.
   */
  async list<Row>(
    rows: PagePromise<Row>,
    limit: number | undefined,
    columns: Columns<Row> | ((shown: Row[]) => Promise<Columns<Row>>),
  ): Promise<void> {
    const shown = await first(rows, limit ?? LIST_LIMIT);
    if (this.json || shown.length === 0) return this.print(shown, 'None.');
    this.print(shown, table(typeof columns === 'function' ? await columns(shown) : columns, shown));
  }

  /** A line for people, on stderr. */
  note(line: string): void {
    process.stderr.write(`${line}\n`);
  }

  /** Asks a question on stderr. Only y or yes is a yes: the end of the input is a no. */
  async confirm(question: string): Promise<boolean> {
    return /^y(es)?$/i.test((await this.readLine(`${question} [y/N] `, false)).trim());
  }

  /** Asks before a change. After a no prints the value, with --json, or else the text. @throws Exit then */
  async agree(question: string, value: unknown, text: string): Promise<void> {
    if (await this.confirm(question)) return;
    this.print(value, text);
    throw new Exit(ExitCode.error);
  }

  /** Reads a secret line: from a pipe, or typed without echo. */
  async secret(question: string): Promise<string> {
    const line = (await this.readLine(process.stdin.isTTY ? question : '', true)).trim();
    if (process.stdin.isTTY) process.stderr.write('\n');
    if (line.length > MAX_KEY_CHARACTERS) throw new UsageError('This is too long for a key.');
    return line;
  }

  /** One line of stdin. Without an output readline echoes nothing, and the terminal is in raw mode. Empty at the end of the input. */
  private readLine(question: string, isSecret: boolean): Promise<string> {
    const { stdin, stderr } = process;
    const isTyped = stdin.isTTY === true;
    const lines = createInterface({ input: stdin, ...(isTyped && !isSecret && { output: stderr }), terminal: isTyped });
    // Only now does the terminal echo nothing: a key that is pasted at once must not be seen.
    stderr.write(question);
    return new Promise((resolve) => {
      lines.once('line', (line) => {
        resolve(line);
        lines.close();
      });
      lines.once('close', () => {
        // An open pipe would keep the process alive.
        stdin.unref?.();
        resolve('');
      });
      lines.once('SIGINT', () => {
        this.interrupt();
        lines.close();
      });
      this.signal.addEventListener('abort', () => lines.close(), { once: true });
    });
  }
}

/** The first entries of a list. */
export async function first<Row>(rows: PagePromise<Row>, limit: number): Promise<Row[]> {
  const found: Row[] = [];
  for await (const row of rows) if (found.push(row) >= limit) break;
  return found;
}
