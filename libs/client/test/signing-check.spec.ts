/** Thieves: transactions that a service that was taken over could hand out. */
import {
  AuthorityType,
  createApproveInstruction,
  createSetAuthorityInstruction,
  createTransferCheckedInstruction,
} from '@solana/spl-token';
import { PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { UnreadableTransactionError, UnsafeTransactionError, verifySignatureRequest, type Operation } from '../src';
import {
  accepted,
  accounts,
  base64Of,
  chainKey,
  feePayer,
  funding,
  handOver,
  micro,
  operation,
  operator,
  policyChange,
  transactionOf,
  versionedOf,
} from './operator-transactions';

const thief = PublicKey.unique();
const PAUSE = policyChange({ paused: true });
const approval = (others: Record<string, PublicKey | undefined> = {}): TransactionInstruction =>
  operation(
    'transfer',
    { args: { seq: micro(1n), transfer_id: Array(16).fill(1), amount: micro(5n), category: null, memo_hash: null } },
    others,
  );

function check(transaction: string, only?: Operation[]) {
  return verifySignatureRequest({ transaction }, { chainKey, ...(only && { only }) });
}
/** Why a transaction is refused: the reason, or `unreadable`. */
function refusalOf(transaction: string, only?: Operation[]): string {
  try {
    check(transaction, only);
    return 'none';
  } catch (error) {
    if (error instanceof UnsafeTransactionError) return error.reason;
    expect(error).toBeInstanceOf(UnreadableTransactionError);
    return 'unreadable';
  }
}

test.each([
  ['a policy change', [PAUSE]],
  ['an approval', [approval()]],
  ['a hand-over of several accounts to one key', [accepted(), handOver(), handOver(PublicKey.unique())]],
  ['one policy change of several accounts', [PAUSE, policyChange({ paused: true }, 7n)]],
  ['a closing', [operation('close_account')]],
  ['a channel purse', funding()],
])('%s can be signed by the operator’s key', (_what, instructions) => {
  expect(check(transactionOf(...instructions)).signers).toContain(chainKey);
});

test('a funding of a channel purse says what the token account of its key is prepared for', () => {
  const [created, approved, closed, funded, ...more] = check(transactionOf(...funding())).sentences;
  expect(more).toEqual([]);
  expect(created).toContain(accounts.key?.toBase58());
  expect(approved).toMatch(/^Lets \w+ move all that /);
  expect(closed).toMatch(/^Lets \w+ close the token account /);
  expect(funded).toMatch(/^Approves that 30.000000 USDC move out of account /);
});

test.each<[string, TransactionInstruction[]]>([
  ['with the operator’s key as the purse’s', funding(chainKey, chainKey)],
  ['without the funding', [...funding().slice(0, 3), PAUSE]],
  ['of less than everything', [createApproveInstruction(thief, thief, thief, 5n), ...funding().slice(3)]],
  ['with another authority', [createSetAuthorityInstruction(thief, thief, AuthorityType.AccountOwner, thief), ...funding().slice(3)]],
  ['with a pause', [...funding(), PAUSE]],
])('the token account of a channel purse’s key is not prepared %s', (_what, instructions) => {
  expect(refusalOf(transactionOf(...instructions))).not.toBe('none');
});

test.each([
  ['SOL of the operator’s key', SystemProgram.transfer({ fromPubkey: operator.publicKey, toPubkey: thief, lamports: 1_000_000 })],
  [
    'SOL of the operator’s key by a nonce account that keeps the transaction valid',
    SystemProgram.nonceAdvance({ noncePubkey: thief, authorizedPubkey: operator.publicKey }),
  ],
  [
    'tokens of the operator’s key',
    createTransferCheckedInstruction(accounts.token_account!, accounts.mint!, thief, operator.publicKey, 1n, 6),
  ],
])('a policy change that also moves %s is refused', (_what, theft) => {
  expect(refusalOf(transactionOf(PAUSE, theft))).toBe('unreadable');
  expect(refusalOf(transactionOf(theft, PAUSE))).toBe('unreadable');
});

test('a program at another address that has the same instructions is refused', () => {
  expect(refusalOf(transactionOf(policyChange({ paused: true }, null, thief)))).toBe('unreadable');
});

test('a transaction whose fee the operator’s key pays is refused', () => {
  const paid = base64Of(versionedOf([PAUSE], operator.publicKey));
  expect(refusalOf(paid)).toBe('pays');
  expect(() => check(paid)).toThrow(`The transaction takes its fee from your key ${chainKey}.`);
});

test('a transaction in which the operator’s key is writable, as no program needs it, is refused', () => {
  const writable = policyChange({ paused: true });
  for (const key of writable.keys) if (key.pubkey.equals(operator.publicKey)) key.isWritable = true;
  expect(refusalOf(transactionOf(writable))).toBe('pays');
  expect(
    refusalOf(transactionOf(operation('create_policy_draft', draftArgs(), { payer: operator.publicKey, draft: accounts.draft }))),
  ).toBe('pays');
});

const draftArgs = () => ({
  args: { target_version: micro(2n), content_hash: Array(32).fill(1), counterparty_count: 1, category_count: 0 },
});

test('a transaction that does not need the operator’s key is refused, with the signers in the message', () => {
  const others = transactionOf(policyChange({ paused: true }));
  expect(() => verifySignatureRequest({ transaction: others }, { chainKey: thief.toBase58() })).toThrow(
    new RegExp(`${thief.toBase58()} is not a signer of this transaction. Its signers: ${feePayer.publicKey.toBase58()}, ${chainKey}`),
  );
});

test.each([
  ['the authority that spends', approval({ authority: operator.publicKey })],
  ['the authority alone, without an operator', approval({ authority: operator.publicKey, operator: undefined })],
  ['the key that gets the accounts', operation('set_operator', {}, { new_operator: operator.publicKey })],
])('an instruction that names the operator’s key as %s is refused', (_what, instruction) => {
  for (const key of instruction.keys) if (key.pubkey.equals(operator.publicKey)) key.isSigner = true;
  expect(refusalOf(transactionOf(instruction))).toBe('other_role');
});

test('an instruction of another operator beside one of the operator’s is refused', () => {
  expect(refusalOf(transactionOf(PAUSE, operation('set_policy', policyArgs(), { operator: thief })))).toBe('other_role');
});

const policyArgs = () => ({
  args: {
    ...{ expected_version: null, max_single_transfer: { Keep: {} }, max_daily_spend: { Clear: {} }, max_session_cap: { Keep: {} } },
    ...{
      max_monthly_spend: { Keep: {} },
      max_lifetime_spend: { Keep: {} },
      approval_above_daily_sum: { Keep: {} },
      valid_until: { Keep: {} },
    },
    ...{
      escalation_threshold: { Keep: {} },
      allowed_counterparties: { Keep: {} },
      categories: { Keep: {} },
      require_memo: null,
      paused: null,
    },
  },
});

test.each([
  ['a hand-over hidden beside a policy change', [PAUSE, handOver()]],
  ['a hand-over before a policy change', [handOver(), PAUSE]],
  ['two policy changes', [PAUSE, policyChange({ maxDailySpend: null })]],
  ['two approvals', [approval(), approval({ destination: thief })]],
  ['accounts that are handed to two keys', [handOver(), handOver(accounts.account, thief)]],
])('%s is refused', (_what, instructions) => {
  expect(refusalOf(transactionOf(...instructions))).toBe('several_actions');
});

test('a transaction of another kind than the one that was asked for is refused, and one of it is not', () => {
  expect(refusalOf(transactionOf(handOver()), ['set_policy', 'create_policy_draft'])).toBe('another_action');
  expect(refusalOf(transactionOf(PAUSE), ['set_policy'])).toBe('none');
});
