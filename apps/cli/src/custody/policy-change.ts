/** Whether a transaction changes no more of a policy than a command asked for. */
import { entriesOf, formatUsdc, type ListChange, POLICY_LIMITS, type PolicyInstruction, parseUsdc, type Schemas } from '#client';
import bs58 from 'bs58';
import type { Expected } from './verifying';

type PolicyBody = Schemas['UpdatePolicy'];
type SetPolicy = Extract<PolicyInstruction, { name: 'set_policy' }>['args'];

const FLAGS = ['require_memo', 'paused'] as const;
const LISTS = ['allowed_counterparties', 'categories'] as const;
const ENTRY_BYTES = 32;
const USDC_DECIMALS = 6;

/** Says which entry the list of the command does not have; undefined if there is none. */
type Foreign = (name: (typeof LISTS)[number], entries: Uint8Array[]) => string | undefined;

/**
 * The transactions that change a policy to `body`. A field may stay as it is, and none may change to anything else. The address of a
 * counterparty that is named by its account is known to the service alone: a list with such a name is not compared.
 */
export function policyChange(body: PolicyBody): Expected {
  const counterparties = body.allowed_counterparties ?? [];
  const isComparable = counterparties.every(isAddress);
  const known = { allowed_counterparties: new Set(counterparties), categories: new Set((body.categories ?? []).map(categoryEntry)) };
  const foreign: Foreign = (name, entries) => {
    if (name === 'allowed_counterparties' && !isComparable) return undefined;
    const found = entries.map((entry) => bs58.encode(entry)).find((entry) => !known[name].has(entry));
    return found && `it has the entry ${found} in ${name}, which you did not name`;
  };
  return {
    only: ['set_policy', 'create_policy_draft', 'write_policy_draft'],
    objection: (instruction) => {
      if (instruction.name === 'set_policy')
        return changedLimit(instruction.args, body) ?? changedTime(instruction.args, body) ?? changedList(instruction.args, body, foreign);
      if (instruction.name !== 'write_policy_draft') return undefined;
      // A draft does not say where the categories begin.
      const others = entriesOf(instruction.args.content).filter((entry) => !known.categories.has(bs58.encode(entry)));
      return foreign('allowed_counterparties', others);
    },
  };
}

/** The fields that the bytes set and the body does not. */
function changedLimit(args: SetPolicy, body: PolicyBody): string | undefined {
  for (const name of POLICY_LIMITS) {
    const change = args[name];
    const wanted = body[name];
    if (change.kind === 'Keep') continue;
    const amount = change.kind === 'Clear' ? null : change.amount;
    if (wanted === undefined || amount !== (wanted === null ? null : parseUsdc(wanted.toFixed(USDC_DECIMALS))))
      return `it sets ${name} to ${amount === null ? 'no limit' : `${formatUsdc(amount)} USDC`}`;
  }
  const flag = FLAGS.find((name) => args[name] !== null && args[name] !== body[name]);
  return flag && `it sets ${flag} to ${args[flag]}`;
}

function changedTime({ valid_until: change }: SetPolicy, { valid_until: wanted }: PolicyBody): string | undefined {
  if (change.kind === 'Keep') return undefined;
  const seconds = change.kind === 'Clear' ? null : change.unix_seconds;
  const isWanted = wanted !== undefined && seconds === (wanted === null ? null : BigInt(Date.parse(wanted)) / 1000n);
  return isWanted ? undefined : `it sets valid_until to ${seconds === null ? 'no end' : `unix second ${seconds}`}`;
}

function changedList(args: SetPolicy, body: PolicyBody, foreign: Foreign): string | undefined {
  for (const name of LISTS) {
    const change: ListChange = args[name];
    const wanted = body[name];
    if (change.kind === 'Keep') continue;
    if (wanted === undefined) return `it changes ${name}`;
    if ((change.kind === 'Clear') !== (wanted === null)) return `it sets ${name} to ${change.kind === 'Clear' ? 'any' : 'a list'}`;
    const objection = change.kind === 'Set' ? foreign(name, change.entries) : undefined;
    if (objection) return objection;
  }
  return undefined;
}

function isAddress(text: string): boolean {
  try {
    return bs58.decode(text).length === ENTRY_BYTES;
  } catch {
    return false;
  }
}

/** The name of a category, padded with zeros, in base58. */
function categoryEntry(name: string): string {
  const entry = new Uint8Array(ENTRY_BYTES);
  entry.set(new TextEncoder().encode(name).subarray(0, ENTRY_BYTES));
  return bs58.encode(entry);
}
