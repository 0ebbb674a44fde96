// Writes the instructions of the program into docs/program.md, from its IDL: `npm run docs:program`. `--print` prints the file instead.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const page = join(root, 'docs', 'program.md');
const HEADING = '## Instructions\n';

const idl = JSON.parse(readFileSync(join(root, 'libs', 'chain', 'program', 'agent_policy.json'), 'utf8'));
const types = new Map(idl.types.map((type) => [type.name, type]));

/** The accounts in their order, those of a shared group under the names that the group gives them. */
function accountsOf(accounts) {
  return accounts.flatMap((account) => (account.accounts ? accountsOf(account.accounts) : [account]));
}

function nameOf(type) {
  if (typeof type === 'string') return type;
  if (type.option) return `${nameOf(type.option)}?`;
  if (type.vec) return `[${nameOf(type.vec)}]`;
  if (type.array) return `[${nameOf(type.array[0])}; ${type.array[1]}]`;
  return type.defined.name;
}

/** The arguments; those of a structure that only this instruction has in place of the structure. */
function argumentsOf({ args }) {
  const [only] = args;
  const structure = args.length === 1 && only.type.defined ? types.get(only.type.defined.name) : undefined;
  return (structure?.type.fields ?? args).map(({ name, type }) => `\`${name}: ${nameOf(type)}\``);
}

function section(instruction) {
  const args = argumentsOf(instruction);
  const rows = accountsOf(instruction.accounts).map(({ name, writable, signer, optional, address, docs = [] }) => {
    const traits = [signer && 'signs', writable && 'writable', optional && 'optional'].filter(Boolean).join(', ');
    return `| \`${name}\` | ${traits} | ${docs.join(' ') || (address ? `\`${address}\`` : '')} |`;
  });
  return [
    `### \`${instruction.name}\`\n`,
    `${(instruction.docs ?? []).join(' ')}\n`,
    `Discriminator \`${Buffer.from(instruction.discriminator).toString('hex')}\`. ${args.length > 0 ? `Arguments: ${args.join(', ')}.` : 'No arguments.'}\n`,
    '| Account | | |\n| --- | --- | --- |',
    `${rows.join('\n')}\n`,
  ].join('\n');
}

const text = readFileSync(page, 'utf8');
const before = text.slice(0, text.indexOf(HEADING) + HEADING.length);
const intro =
  'Made from the IDL, which is committed beside the program in `libs/chain/program`. An optional account that is missing is the program’s own address.\n';
const made = `${before}\n${[intro, ...idl.instructions.map(section)].join('\n')}`;
if (process.argv.includes('--print')) process.stdout.write(made);
else writeFileSync(page, made);
