import { PublicKey } from '@solana/web3.js';
import { addressEntry, addressName, byWords } from '../../chain/src/policy/list-entries';
import { readTransaction } from '../src';
import { accepted, accounts, at, chainKey, handOver, micro, operation, policyChange, transactionOf } from './operator-transactions';

const bytes = (length: number, of = 1): number[] => Array<number>(length).fill(of);
const categoryBytes = (name: string): number[] => [...Buffer.from(name.padEnd(32, '\0'))];
const sentencesOf = (...instructions: Parameters<typeof transactionOf>): string[] =>
  readTransaction(transactionOf(...instructions)).sentences;

test('a policy change names the changed fields alone, amounts to the micro-USDC, what has no limit, and the version that it changes', () => {
  const change = { maxDailySpend: 25_500_000n, maxSingleTransfer: null, requireMemo: true, paused: false };
  expect(sentencesOf(policyChange(change))).toEqual([
    `Sets the policy of the account or fleet ${at('account')}: max_single_transfer no limit, max_daily_spend 25.500000 USDC, require_memo true, ` +
      `paused false; from version 4.`,
  ]);
});

test('the highest amount of 64 bits is no limit, as the program has it', () => {
  expect(sentencesOf(policyChange({ maxDailySpend: 2n ** 64n - 1n }))[0]).toContain('max_daily_spend no limit;');
});

test('a pause alone changes any version', () => {
  expect(sentencesOf(policyChange({ paused: true }, null))).toEqual([
    `Sets the policy of the account or fleet ${at('account')}: paused true; from any version.`,
  ]);
});

test('lists are named entry by entry, and none and any are told apart', () => {
  // In the order in which the chain keeps them.
  const listed = [at('payee'), at('destination')].map(addressEntry).sort(byWords);
  const [first = '', second = ''] = listed.map(addressName);
  const lists = (change: Parameters<typeof policyChange>[0]): string | undefined => sentencesOf(policyChange(change))[0];
  expect(lists({ allowedCounterparties: [first, second], categories: ['food', 'fuel', 'odd", paused false'] })).toContain(
    `: allowed_counterparties only ${first}, ${second}, categories only "food", "fuel", "odd\\", paused false"; from`,
  );
  expect(lists({ allowedCounterparties: [], categories: null })).toContain(': allowed_counterparties none, categories any; from');
});

test('a category that is no plain text is shown as its bytes', () => {
  const category = '\u202efood';
  expect(sentencesOf(policyChange({ categories: [category] }))[0]).toContain(
    `categories only 0x${Buffer.from(categoryBytes(category).slice(0, 32)).toString('hex')};`,
  );
});

const order = { seq: micro(9n), amount: micro(30_000_000n), category: categoryBytes('food') };

test.each([
  [
    'transfer',
    { ...order, transfer_id: bytes(16), memo_hash: null },
    'Approves a transfer of 30.000000 USDC from account {account} to the token account {destination} in the category "food".',
  ],
  [
    'top_up_session',
    { seq: micro(9n), top_up_id: bytes(16), amount: micro(1n) },
    'Approves adding 0.000001 USDC to the session {session} of account {account}.',
  ],
  [
    'open_session',
    {
      ...{
        seq: micro(9n),
        session_id: bytes(16),
        provider_hash: bytes(32),
        cap: micro(5_000_000n),
        category: null,
        voucher_key: new PublicKey(bytes(32)),
      },
      ...{ expires_in_seconds: 3_600, grace_seconds: 60, session_bump: 1, escrow_bump: 2, payee_bump: 3 },
    },
    `Approves a session of at most 5.000000 USDC from account {account} to {payee} (token account {payee_token_account}), for 3600 s and 60 s of grace; the key ${new PublicKey(bytes(32)).toBase58()} signs its payments.`,
  ],
  [
    'approve_charge',
    { ...order, category: null, charge_id: bytes(16), expires_in_seconds: 60, purse: true },
    'Approves that the key {delegate} moves at most 30.000000 USDC out of account {account}, to any recipient, in many payments (a purse), for 60 s.',
  ],
  [
    'fund_channel',
    { ...order, category: null, purse_id: bytes(16), expires_in_seconds: 86_400, purse_bump: 255, key_bump: 254 },
    'Approves that 30.000000 USDC move out of account {account} to the key {key} (a channel purse), which pays any number of recipients with it, for 86400 s.',
  ],
])('the approval of %s says the amount, the payer and who is paid', (name, args, sentence) => {
  expect(sentencesOf(operation(name, { args }))).toEqual([sentence.replace(/\{(\w+)\}/g, (_, role: string) => at(role))]);
});

test('a new authority, a closing, a sweep and a write-off name the accounts', () => {
  const authority = PublicKey.unique();
  expect(
    [
      operation('rotate_authority', { new_authority: authority }),
      operation('close_account'),
      operation('close_account', {}, { destination: undefined }),
      operation('sweep_closed_account'),
      operation('write_off_session'),
    ].flatMap((one) => sentencesOf(one)),
  ).toEqual([
    `Gives account ${at('account')} the authority key ${authority.toBase58()}, which spends inside the policy. An open charge or purse of it ends.`,
    `Closes account ${at('account')} for ever. Its balance moves to the token account ${at('destination')}; its rent goes to ${at('creator')}.`,
    `Closes account ${at('account')} for ever. It must be empty; its rent goes to ${at('creator')}.`,
    `Moves all that has arrived at ${at('token_account')}, the token account of the closed account ${at('account')}, to the token account ${at('destination')}.`,
    `Takes back what the session ${at('session')} of account ${at('account')} owes to ${at('payee')}: it moves to the token account ${at('token_account')}.`,
  ]);
});

test('a draft names its version and sizes, and each entry that is written', () => {
  const draft = { draft: accounts.draft };
  const begin = { target_version: micro(5n), content_hash: bytes(32), counterparty_count: 40, category_count: 2 };
  const long = 'a category name of thirty-two by';
  const content = Buffer.from([...accounts.payee!.toBytes(), ...categoryBytes('food'), ...categoryBytes(long)]);
  expect(sentencesOf(operation('create_policy_draft', { args: begin }, draft))).toEqual([
    `Begins the draft ${at('draft')} of lists for version 5 of the policy of the account or fleet ${at('account')}: 40 counterparties and 2 categories. It is not in force yet.`,
  ]);
  expect(sentencesOf(operation('write_policy_draft', { offset: 64, content }, draft))).toEqual([
    `Writes list entries into the draft ${at('draft')} for the policy of the account or fleet ${at('account')}, from entry 3 on: ${at('payee')}, "food", ` +
      `${new PublicKey(Buffer.from(long)).toBase58()} (or the category "${long}"). They are not in force yet.`,
  ]);
});

test('a hand-over names each account, the new key, and the acceptance before it', () => {
  const [first, second] = [PublicKey.unique(), PublicKey.unique()];
  expect(sentencesOf(accepted(), handOver(first), handOver(second))).toEqual([
    `Proves that the key ${at('new_operator')} has accepted the accounts of ${chainKey}.`,
    `Hands account ${first.toBase58()} over to the operator key ${at('new_operator')}.`,
    `Hands account ${second.toBase58()} over to the operator key ${at('new_operator')}.`,
  ]);
});
