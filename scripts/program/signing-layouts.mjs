// The layouts by which libs/client reads transactions: what the operator's chain key signs, of the program's interface. Writes
// libs/client/src/signing/layouts.ts (`--print`: to stdout). Uses Node's own modules only, because `npm run program:build` runs it.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const idl = JSON.parse(readFileSync(join(root, 'libs', 'chain', 'program', 'agent_policy.json'), 'utf8'));
const target = join(root, 'libs', 'client', 'src', 'signing', 'layouts.ts');

/** The IDL groups accounts that several instructions share; a transaction has a flat list. */
const flat = (accounts) => accounts.flatMap((account) => (account.accounts ? flat(account.accounts) : [account]));

const PRIMITIVES = { u8: 'number', u16: 'number', u32: 'number', u64: 'bigint', bool: 'boolean', pubkey: 'string', bytes: 'Uint8Array' };

/** The TypeScript type of what the client reads for a type of the IDL. */
function typescript(type) {
  if (type in PRIMITIVES) return PRIMITIVES[type];
  if (type.option) return `${typescript(type.option)} | null`;
  if (type.vec) return `${typescript(type.vec)}[]`;
  if (type.array?.[0] === 'u8') return 'Uint8Array';
  if (type.defined) return type.defined.name;
  throw new Error(
    `libs/client reads no ${JSON.stringify(type)} yet: add it to libs/client/src/signing/layout/layout.ts, values.ts and here.`,
  );
}

/** A type of the IDL as the table has it. */
function layout(type) {
  typescript(type);
  if (type.option) return { option: layout(type.option) };
  if (type.vec) return { vec: layout(type.vec) };
  if (type.array) return { bytes: type.array[1] };
  return type.defined ? { defined: type.defined.name } : type;
}

const typeOf = (name) => idl.types.find((one) => one.name === name).type;
const namedIn = (type) => (type.option || type.vec ? namedIn(type.option ?? type.vec) : type.defined ? [type.defined.name] : []);

/** A sole argument `args` is a struct: its fields are the arguments. */
function argumentsOf({ args: [first, ...others] }) {
  const isStruct = first?.name === 'args' && others.length === 0 && first.type.defined;
  return isStruct ? typeOf(first.type.defined.name).fields : [first, ...others].filter(Boolean);
}

const operations = idl.instructions
  .filter(({ accounts }) => flat(accounts).some(({ name, signer }) => name === 'operator' && signer))
  .map((one) => ({ ...one, accounts: flat(one.accounts), args: argumentsOf(one) }));
const enums = [...new Set(operations.flatMap(({ args }) => args.flatMap(({ type }) => namedIn(type))))].sort().map((name) => {
  const { kind, variants } = typeOf(name);
  if (kind !== 'enum') throw new Error(`libs/client reads no struct inside of arguments yet: ${name}.`);
  return { name, variants };
});

const fieldsOf = (fields = []) => fields.map(({ name, type }) => ({ name, type: layout(type) }));
const members = (fields = []) => fields.map(({ name, type }) => ` ${name}: ${typescript(type)};`).join('');
const accountOf = ({ name, optional, address }) => ({
  name,
  ...(optional && { optional }),
  ...(address && (address === idl.address ? { isProgram: true } : { address })),
});

const text = `/** What the operator's chain key signs. Made of libs/chain/program/agent_policy.json by \`npm run client:layouts\`. Do not edit. */
import type { InstructionLayout, VariantLayout } from './layout/layout';

/** The address that the program was built with. */
export const PROGRAM_ID = '${idl.address}';

${enums
  .map(
    ({ name, variants }) =>
      `export type ${name} =${variants.map((one) => `\n  | { kind: '${one.name}';${members(one.fields)} }`).join('')};\n`,
  )
  .join('\n')}
/** The accounts and arguments of each instruction. Amounts are micro-USDC, times seconds. */
export interface Operations {
${operations
  .map(
    ({ name, docs = [], accounts, args }) => `  /** ${docs.join(' ')} */
  ${name}: {
    accounts: {${accounts.map((one) => ` ${one.name}${one.optional ? '?' : ''}: string;`).join('')} };
    args: {${members(args)} };
  };
`,
  )
  .join('')}}

export const INSTRUCTIONS: readonly InstructionLayout<keyof Operations>[] = [
${operations
  .map(
    ({ name, discriminator, accounts, args }) => `  {
    name: '${name}',
    discriminator: '${Buffer.from(discriminator).toString('hex')}',
    accounts: ${JSON.stringify(accounts.map(accountOf))},
    args: ${JSON.stringify(fieldsOf(args))},
  },
`,
  )
  .join('')}];

export const ENUMS: Readonly<Record<string, readonly VariantLayout[]>> = {
${enums
  .map(({ name, variants }) => `  ${name}: ${JSON.stringify(variants.map((one) => ({ kind: one.name, fields: fieldsOf(one.fields) })))},\n`)
  .join('')}};
`;

if (process.argv.includes('--print')) process.stdout.write(text);
else writeFileSync(target, text);
