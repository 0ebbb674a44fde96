/** The command line: its global options and its commands. */
import { Command } from 'commander';
import { accounts } from './commands/accounts';
import { approvals } from './commands/approvals';
import { completion } from './commands/completion';
import { exportRecords } from './commands/export';
import { keys } from './commands/keys';
import { listen } from './commands/listen';
import { login } from './commands/login';
import { mcp } from './commands/mcp';
import { pay } from './commands/pay';
import { policy } from './commands/policy';
import { purses } from './commands/purses';
import { sessions } from './commands/sessions';
import { status } from './commands/status';
import { transfer } from './commands/transfer';
import { transfers } from './commands/transfers';
import { webhooks } from './commands/webhooks';
import type { Context, Register } from './context';

/** Every command, in the order of the help. */
const COMMANDS: Register[] = [
  login,
  status,
  accounts,
  policy,
  transfer,
  transfers,
  approvals,
  pay,
  sessions,
  purses,
  keys,
  webhooks,
  listen,
  exportRecords,
  mcp,
  completion,
];

const EXIT_CODES = `
Exit codes: 0 done, 1 error, 2 wrong usage, 3 declined or denied, 4 waits for approval,
5 unreachable or outcome unknown (run it again), 6 some rows were not paid, 130 interrupted.`;

export function buildProgram(context: Context): Command {
  const program = new Command('aps')
    .description('The command line of the Agent Payment Service')
    .option('--json', 'print one JSON value on stdout')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EXIT_CODES)
    .exitOverride()
    .showHelpAfterError('(add --help for the options)')
    .hook('preAction', () => {
      context.json = program.opts<{ json?: boolean }>().json === true;
    });
  for (const register of COMMANDS) register(program, context);
  return program;
}
