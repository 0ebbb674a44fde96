/** The command line: its global options and its commands. */
import { Command } from 'commander';
import { accounts } from './commands/accounts/accounts';
import { purses, sessions } from './commands/money/allowances';
import { approvals } from './commands/money/approvals';
import { audit } from './commands/access/audit';
import { bulk, jobs } from './commands/accounts/bulk';
import { chainKey } from './commands/access/chain-key';
import { completion } from './commands/completion';
import { exportRecords, statement } from './commands/export';
import { fleets } from './commands/accounts/fleets';
import { keys } from './commands/access/keys';
import { listen } from './commands/listen';
import { login } from './commands/access/login';
import { mcp } from './commands/mcp';
import { pay } from './commands/money/pay';
import { policy } from './commands/accounts/policy';
import { hosts } from './commands/accounts/hosts';
import { services } from './commands/money/services';
import { signatures } from './commands/access/signatures';
import { status } from './commands/status';
import { transfer } from './commands/money/transfer';
import { transfers } from './commands/money/transfers';
import { webhooks } from './commands/webhooks';
import type { Context, Register } from './context';
import { packageVersion } from './version';

/** Every command, in the order of the help. */
const COMMANDS: Register[] = [
  login,
  status,
  accounts,
  policy,
  fleets,
  bulk,
  jobs,
  transfer,
  transfers,
  approvals,
  signatures,
  chainKey,
  pay,
  sessions,
  hosts,
  purses,
  services,
  keys,
  audit,
  webhooks,
  listen,
  exportRecords,
  statement,
  mcp,
  completion,
];

const EXIT_CODES = `
Exit codes: 0 done, 1 error, 2 wrong usage, 3 declined or denied, 4 waits for approval,
5 unreachable or outcome unknown (run it again), 6 some rows or accounts failed,
7 waits for a signature of the chain key, 8 what was to be signed is refused, 130 interrupted.`;

interface GlobalOptions {
  json?: boolean;
  keypair?: string;
  programId?: string;
}

export function buildProgram(context: Context): Command {
  const program = new Command('aps')
    .description('The command line of the Agent Payment Service')
    .version(packageVersion(), '--version', 'print the version')
    .option('--json', 'print one JSON value on stdout')
    .option('--keypair <file>', 'your chain key: signs at once what needs it (default: APS_KEYPAIR)')
    .option('--program-id <address>', 'the address of agent_policy, where your service has its own (default: APS_PROGRAM_ID)')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EXIT_CODES)
    .exitOverride()
    .showHelpAfterError('(add --help for the options)')
    .hook('preAction', () => {
      const { json, keypair = process.env.APS_KEYPAIR, programId = process.env.APS_PROGRAM_ID } = program.opts<GlobalOptions>();
      context.json = json === true;
      context.keypairPath = keypair || undefined;
      context.programId = programId || undefined;
    });
  for (const register of COMMANDS) register(program, context);
  return program;
}
