/** Reads the instructions of the programs that a transaction for the operator's signature may have. Any other is refused. */
import { hexOf } from './layout/bytes';
import { operatorOfAcceptance } from './acceptance';
import type { AcceptanceInstruction, BudgetInstruction, Instruction, Operation, PolicyInstruction } from './reading';
import type { InstructionLayout } from './layout/layout';
import { INSTRUCTIONS, type Operations } from './layouts';
import type { RawInstruction } from './message';
import { ASSOCIATED_TOKEN, TOKEN, readKeyAccount } from './key-account';
import { ENTRY_BYTES, sentenceOf } from './sentences';
import { readFields } from './layout/values';

const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const ED25519 = 'Ed25519SigVerify111111111111111111111111111';
const DISCRIMINATOR_BYTES = 8;
/** The kinds of compute budget instructions that say how much the fee payer pays, and how much a transaction may load. */
const BUDGETS = new Map<number, { name: BudgetInstruction['name']; bytes: number; sentenceOf(value: bigint): string }>([
  [2, { name: 'set_compute_unit_limit', bytes: 4, sentenceOf: (units) => `Uses at most ${units} compute units.` }],
  [
    3,
    {
      name: 'set_compute_unit_price',
      bytes: 8,
      sentenceOf: (price) => `The fee payer pays ${price} micro-lamports for each compute unit.`,
    },
  ],
  [4, { name: 'set_loaded_accounts_data_size_limit', bytes: 4, sentenceOf: (bytes) => `Loads at most ${bytes} bytes of accounts.` }],
]);
/**
 * The head of an ed25519 instruction as the program takes it: one signature, all parts in this instruction: the signature at 48, the key at
 * 16, the text of 157 bytes at 112. As `header` of programs/agent-policy/src/shared/ed25519.rs.
 */
const ACCEPTANCE_HEAD = '01003000ffff1000ffff70009d00ffff';
const ACCEPTANCE_HEAD_BYTES = ACCEPTANCE_HEAD.length / 2;
const SIGNATURE_BYTES = 64;

/** @throws UnreadableTransactionError */
export function readInstruction(raw: RawInstruction, programId: string): Instruction {
  if (raw.program === programId) return readOperation(raw);
  if (raw.program === COMPUTE_BUDGET) return readBudget(raw);
  if (raw.program === ED25519) return readAcceptance(raw);
  if (raw.program === ASSOCIATED_TOKEN || raw.program === TOKEN) return readKeyAccount(raw);
  return raw.data.fail(`the program ${raw.program} is none that the operator's key signs for`);
}

function readOperation(raw: RawInstruction): PolicyInstruction {
  const { data, position } = raw;
  const discriminator = hexOf(data.take(DISCRIMINATOR_BYTES));
  const layout = INSTRUCTIONS.find((one) => one.discriminator === discriminator);
  if (!layout) return data.fail(`the instruction ${discriminator} of agent_policy is none that the operator's key signs`);
  data.rename(`instruction ${position} (${layout.name})`);
  const accounts = readAccounts(raw, layout);
  const args = readFields(data, layout.args);
  data.finish();
  // layouts.ts is made of the same interface as this table, type by type.
  const operation = { accounts, args } as unknown as Operations[typeof layout.name];
  const read = { program: 'agent_policy', name: layout.name, ...operation } as PolicyInstruction;
  if (read.name === 'write_policy_draft' && (read.args.offset % ENTRY_BYTES !== 0 || read.args.content.length % ENTRY_BYTES !== 0))
    data.fail('it writes parts of list entries');
  return { ...read, sentence: sentenceOf(layout.name, operation) };
}

/** The accounts by their names. An optional one that is absent is left out. */
function readAccounts({ data, accounts, program }: RawInstruction, layout: InstructionLayout<Operation>): Record<string, string> {
  if (accounts.length !== layout.accounts.length) data.fail(`it has ${accounts.length} accounts instead of ${layout.accounts.length}`);
  const named = layout.accounts.flatMap(({ name, optional, address, isProgram }, index): [string, string][] => {
    const given = accounts[index] ?? '';
    if (optional && given === program) return [];
    const wanted = isProgram ? program : address;
    if (wanted !== undefined && given !== wanted) data.fail(`the account ${name} is ${given} instead of ${wanted}`);
    return [[name, given]];
  });
  return Object.fromEntries(named);
}

function readBudget({ data, accounts, position }: RawInstruction): BudgetInstruction {
  data.rename(`instruction ${position} (compute budget)`);
  const kind = data.number(1);
  const budget = BUDGETS.get(kind) ?? data.fail(`its kind ${kind} is neither a limit nor a price`);
  if (accounts.length > 0) data.fail('it has accounts');
  const value = data.bigint(budget.bytes);
  data.finish();
  return { program: 'compute_budget', name: budget.name, accounts: {}, args: { value }, sentence: budget.sentenceOf(value) };
}

function readAcceptance({ data, accounts, position }: RawInstruction): AcceptanceInstruction {
  data.rename(`instruction ${position} (ed25519)`);
  if (accounts.length > 0) data.fail('it has accounts');
  if (hexOf(data.take(ACCEPTANCE_HEAD_BYTES)) !== ACCEPTANCE_HEAD) data.fail('it verifies something else than an acceptance');
  const newOperator = data.address();
  data.take(SIGNATURE_BYTES);
  const operator = operatorOfAcceptance(String.fromCharCode(...data.take(data.left)));
  if (operator === null) return data.fail('its text is not an acceptance');
  return {
    program: 'ed25519',
    name: 'verify_acceptance',
    accounts: {},
    args: { new_operator: newOperator, operator },
    sentence: `Proves that the key ${newOperator} has accepted the accounts of ${operator}.`,
  };
}
