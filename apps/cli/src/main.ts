/** Runs a command line: its errors, exit code and interruption. */
import { CommanderError } from 'commander';
import { Context } from './context';
import { errorBody, explain } from './output/explain';
import { Exit, ExitCode, exitCodeOf } from './output/exit-codes';
import { buildProgram } from './program';

/** How long a command may take to end after Ctrl-C, in milliseconds. */
const GRACE_MS = 10_000;

export async function main(args: string[]): Promise<void> {
  const interruption = new AbortController();
  const interrupt = (): void => {
    if (interruption.signal.aborted) process.exit(ExitCode.interrupted);
    interruption.abort();
    setTimeout(() => process.exit(ExitCode.interrupted), GRACE_MS).unref();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  // The reader of a pipe has left, as `| head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? ExitCode.ok : ExitCode.error));

  const context = new Context(interruption.signal, interrupt);
  // Wrong usage is reported as JSON too.
  context.json = args.includes('--json');
  process.exitCode = await run(args, context);
  // An open stdin or a kept connection must not keep the process: stdout is flushed first.
  process.stdout.write('', () => process.exit());
}

async function run(args: string[], context: Context): Promise<number> {
  try {
    await buildProgram(context).parseAsync(args, { from: 'user' });
    return context.signal.aborted ? ExitCode.interrupted : ExitCode.ok;
  } catch (error) {
    if (context.signal.aborted) return ExitCode.interrupted;
    const code = exitCodeOf(error);
    // A command that ends by Exit has printed its result, and commander has printed the help.
    if (!(error instanceof Exit) && code !== ExitCode.ok) report(error, context);
    return code;
  }
}

function report(error: unknown, context: Context): void {
  if (context.json) process.stdout.write(`${JSON.stringify(errorBody(error), null, 2)}\n`);
  // Commander has printed its own message on stderr.
  if (!(error instanceof CommanderError)) for (const line of explain(error)) context.note(line);
}
