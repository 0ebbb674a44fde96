/** Reads the instructions that prepare the token account of a channel purse's key: it is created, and the purse may move and close all of it. */
import type { KeyAccountInstruction } from './reading';
import type { RawInstruction } from './message';

export const ASSOCIATED_TOKEN = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
export const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
/** The first bytes of the instructions, and the authority to close. */
const [CREATE_IDEMPOTENT, APPROVE, SET_AUTHORITY, CLOSE_ACCOUNT] = [1, 4, 6, 3];
const EVERYTHING = 2n ** 64n - 1n;

/** @throws UnreadableTransactionError for any other instruction of the two programs */
export function readKeyAccount(raw: RawInstruction): KeyAccountInstruction {
  const { data, program, position } = raw;
  data.rename(`instruction ${position} (token account)`);
  const kind = data.number(1);
  if (program === ASSOCIATED_TOKEN && kind === CREATE_IDEMPOTENT) {
    const [payer, token_account, owner, mint] = accountsOf(raw, 6);
    const accounts = { payer, token_account, owner, mint };
    return reading(
      'create_token_account',
      accounts,
      `Creates the token account ${token_account} of the key ${owner}, if it does not exist.`,
    );
  }
  if (program === TOKEN && kind === APPROVE) {
    if (data.bigint(8) !== EVERYTHING) data.fail('it approves less than everything');
    const [token_account, delegate, owner] = accountsOf(raw, 3);
    return reading(
      'approve',
      { token_account, delegate, owner },
      `Lets ${delegate} move all that ${token_account} of the key ${owner} holds.`,
    );
  }
  if (program === TOKEN && kind === SET_AUTHORITY) {
    if (data.number(1) !== CLOSE_ACCOUNT || !data.bool()) data.fail('it gives away more than the right to close a token account');
    const closer = data.address();
    const [token_account, owner] = accountsOf(raw, 2);
    return reading(
      'set_close_authority',
      { token_account, closer, owner },
      `Lets ${closer} close the token account ${token_account} of the key ${owner}.`,
    );
  }
  return data.fail(`the kind ${kind} of the token programs is none that the operator's key signs for`);
}

function accountsOf({ data, accounts }: RawInstruction, count: number): string[] {
  data.finish();
  if (accounts.length !== count) data.fail(`it has ${accounts.length} accounts instead of ${count}`);
  return accounts;
}

const reading = (
  name: KeyAccountInstruction['name'],
  accounts: Record<string, string | undefined>,
  sentence: string,
): KeyAccountInstruction => ({ program: 'token', name, accounts: accounts as Record<string, string>, args: {}, sentence });
