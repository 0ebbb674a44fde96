/** The effect of each instruction of the operator, in plain words, with the numbers and addresses of its bytes. */
import bs58 from 'bs58';
import { formatUsdc } from '../money';
import { hexOf } from './layout/bytes';
import type { AmountChange, ListChange, Operations, TimeChange } from './layouts';
import type { Operation } from './reading';

/** "No limit" for an amount: `u64::MAX`. */
const NO_LIMIT = 2n ** 64n - 1n;
/** A list entry is an address, or the name of a category padded with zeros. */
export const ENTRY_BYTES = 32;
/** An address with so many zeros at its end, and with a known key, cannot be found by search. */
const MIN_PADDING = 12;

/** The fields of a policy that are amounts or no limit. */
export const POLICY_LIMITS = [
  'max_single_transfer',
  'max_daily_spend',
  'max_monthly_spend',
  'max_lifetime_spend',
  'max_session_cap',
  'escalation_threshold',
  'approval_above_daily_sum',
] as const;
/** The limits of all members of a fleet together. */
const FLEET_LIMITS = ['max_daily_spend', 'max_monthly_spend', 'max_lifetime_spend'] as const;

const SENTENCES: { [Name in Operation]: (operation: Operations[Name]) => string } = {
  set_policy: ({ accounts: { owner, draft }, args }) => {
    const { expected_version: version, require_memo: requireMemo, paused, allowed_counterparties, categories } = args;
    const changes = [
      ...POLICY_LIMITS.flatMap((name) => limitChange(name, args[name])),
      ...timeChange('valid_until', args.valid_until),
      ...listChange('allowed_counterparties', allowed_counterparties, draft, addressOf),
      ...listChange('categories', categories, draft, textOf),
      ...(requireMemo === null ? [] : [`require_memo ${requireMemo}`]),
      ...(paused === null ? [] : [`paused ${paused}`]),
    ];
    const from = version === null ? 'from any version' : `from version ${version}`;
    return `Sets the policy of the account or fleet ${owner}: ${changes.join(', ') || 'nothing'}; ${from}.`;
  },
  create_policy_draft: ({ accounts: { owner, draft }, args }) =>
    `Begins the draft ${draft} of lists for version ${args.target_version} of the policy of the account or fleet ${owner}: ` +
    `${args.counterparty_count} counterparties and ${args.category_count} categories. It is not in force yet.`,
  write_policy_draft: ({ accounts: { owner, draft }, args: { offset, content } }) =>
    `Writes list entries into the draft ${draft} for the policy of the account or fleet ${owner}, from entry ${offset / ENTRY_BYTES + 1} on: ` +
    `${entriesOf(content).map(entryOf).join(', ')}. They are not in force yet.`,
  transfer: ({ accounts: { account, destination }, args: { amount, category } }) =>
    `Approves a transfer of ${usdc(amount)} from account ${account} to the token account ${destination}${inCategory(category)}.`,
  open_session: ({ accounts: { account, payee, payee_token_account }, args }) =>
    `Approves a session of at most ${usdc(args.cap)} from account ${account} to ${payee} (token account ${payee_token_account})` +
    `${inCategory(args.category)}, for ${args.expires_in_seconds} s and ${args.grace_seconds} s of grace; ` +
    `the key ${args.voucher_key} signs its payments.`,
  top_up_session: ({ accounts: { account, session }, args: { amount } }) =>
    `Approves adding ${usdc(amount)} to the session ${session} of account ${account}.`,
  approve_charge: ({ accounts: { account, delegate }, args: { amount, category, expires_in_seconds, purse } }) =>
    `Approves that the key ${delegate} moves at most ${usdc(amount)} out of account ${account}, to any recipient, ` +
    `in ${purse ? 'many payments (a purse)' : 'a single payment'}${inCategory(category)}, for ${expires_in_seconds} s.`,
  fund_channel: ({ accounts: { account, key }, args: { amount, category, expires_in_seconds } }) =>
    `Approves that ${usdc(amount)} move out of account ${account} to the key ${key} (a channel purse), which pays any number of recipients ` +
    `with it${inCategory(category)}, for ${expires_in_seconds} s.`,
  rotate_authority: ({ accounts: { account }, args: { new_authority } }) =>
    `Gives account ${account} the authority key ${new_authority}, which spends inside the policy. An open charge or purse of it ends.`,
  set_operator: ({ accounts: { account, new_operator } }) => `Hands account ${account} over to the operator key ${new_operator}.`,
  close_account: ({ accounts: { account, creator, destination } }) =>
    `Closes account ${account} for ever. ` +
    `${destination === undefined ? 'It must be empty' : `Its balance moves to the token account ${destination}`}; its rent goes to ${creator}.`,
  sweep_closed_account: ({ accounts: { account, token_account, destination } }) =>
    `Moves all that has arrived at ${token_account}, the token account of the closed account ${account}, to the token account ${destination}.`,
  write_off_session: ({ accounts: { account, session, payee, token_account } }) =>
    `Takes back what the session ${session} of account ${account} owes to ${payee}: it moves to the token account ${token_account}.`,
  create_fleet: ({ accounts: { fleet }, args: { guardian, ...limits } }) =>
    `Creates the fleet ${fleet}, whose members together spend at most: ` +
    `${FLEET_LIMITS.map((name) => `${name} ${limitOf(limits[name])}`).join(', ')}. ` +
    `${guardian === null ? 'No other key can pause it' : `The key ${guardian} can pause it and add accounts of this operator`}.`,
  set_fleet_limits: ({ accounts: { fleet }, args }) => {
    const changes = FLEET_LIMITS.flatMap((name) => limitChange(name, args[name]));
    return `Sets the limits of all members of the fleet ${fleet} together: ${changes.join(', ') || 'nothing'}; from version ${args.expected_version}.`;
  },
  join_fleet: ({ accounts: { account, fleet } }) =>
    `Adds account ${account} to the fleet ${fleet}, whose policy and limits bind it from then on. It obeys the operator of the fleet.`,
  leave_fleet: ({ accounts: { account, fleet } }) =>
    `Takes account ${account} out of the fleet ${fleet ?? 'that is missing'}, whose policy and limits no longer bind it. ` +
    `Without a policy of its own it gets a paused one.`,
  set_fleet_operator: ({ accounts: { fleet, new_operator } }) =>
    `Hands the fleet ${fleet} and all its members over to the operator key ${new_operator}.`,
  close_fleet: ({ accounts: { fleet, creator } }) =>
    `Closes the fleet ${fleet} for ever. It must have no members; its rent goes to ${creator}.`,
  end_policy: ({ accounts: { account }, args: { expected_version } }) =>
    `Ends the policy of account ${account} itself, version ${expected_version}: only its fleet's policy and limits bind it from then on.`,
};

/** The effect of an instruction. */
export function sentenceOf<Name extends Operation>(name: Name, operation: Operations[Name]): string {
  return SENTENCES[name](operation);
}

const usdc = (amount: bigint): string => `${formatUsdc(amount)} USDC`;
const inCategory = (category: Uint8Array | null): string => (category === null ? '' : ` in the category ${textOf(category)}`);
const addressOf = (entry: Uint8Array): string => bs58.encode(entry);

function limitChange(name: string, change: AmountChange): string[] {
  if (change.kind === 'Keep') return [];
  return [`${name} ${limitOf(change.kind === 'Clear' ? null : change.amount)}`];
}

const limitOf = (amount: bigint | null): string => (amount === null || amount === NO_LIMIT ? 'no limit' : usdc(amount));

/** The last second that a date has, in unix seconds. */
const LAST_SECOND = 8_640_000_000_000n;

function timeChange(name: string, change: TimeChange): string[] {
  if (change.kind === 'Keep') return [];
  if (change.kind === 'Clear' || change.unix_seconds === NO_LIMIT) return [`${name} no end`];
  const { unix_seconds: seconds } = change;
  return [`${name} ${seconds > LAST_SECOND ? `unix second ${seconds}` : new Date(Number(seconds) * 1000).toISOString()}`];
}

function listChange(name: string, change: ListChange, draft: string | undefined, format: (entry: Uint8Array) => string): string[] {
  switch (change.kind) {
    case 'Keep':
      return [];
    case 'Clear':
      return [`${name} any`];
    case 'Staged':
      return [`${name} only those of the draft ${draft ?? 'that is missing'}`];
    case 'Set':
      return [`${name} ${change.entries.length === 0 ? 'none' : `only ${change.entries.map(format).join(', ')}`}`];
  }
}

/** The name of a category, in quotes; in hexadecimal if it is not plain text. */
function textOf(entry: Uint8Array): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(entry.subarray(0, entry.length - paddingOf(entry)));
  return /^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(text) && !text.includes('\ufffd') ? JSON.stringify(text) : `0x${hexOf(entry)}`;
}

/** A draft does not say which entries are addresses. What is not a short text is one. */
function entryOf(entry: Uint8Array): string {
  return paddingOf(entry) < MIN_PADDING ? `${addressOf(entry)}${longNameOf(entry)}` : textOf(entry);
}

/** A category's name of more bytes could be an address too: both are said. */
function longNameOf(entry: Uint8Array): string {
  const text = textOf(entry);
  return text.startsWith('0x') ? '' : ` (or the category ${text})`;
}

/** The zeros at the end. */
function paddingOf(entry: Uint8Array): number {
  return entry.length - 1 - entry.findLastIndex((byte) => byte !== 0);
}

/** The list entries that `write_policy_draft` writes: 32 bytes each. */
export function entriesOf(content: Uint8Array): Uint8Array[] {
  return Array.from({ length: content.length / ENTRY_BYTES }, (_, index) =>
    content.subarray(index * ENTRY_BYTES, (index + 1) * ENTRY_BYTES),
  );
}
