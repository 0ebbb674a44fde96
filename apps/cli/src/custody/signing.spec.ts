import { AgentPayments, ConflictError, SignatureRequired } from '#client';
import { PublicKey, SystemProgram } from '@solana/web3.js';
import * as made from '../../../../libs/client/test/operator-transactions';
import { Context } from '../context';
import { Exit, RefusedError, UsageError } from '../output/exit-codes';
import { accept } from './handing-over';
import { Keypair } from './keypair';
import { signAll, signed, type SigningOptions, type ToSign } from './signing';

const { policyChange, transactionOf } = made;
const keypair = new Keypair(made.operator.secretKey.slice(0, 32));
const PAUSE = policyChange({ paused: true });
const SENTENCE = `Sets the policy of the account or fleet ${made.at('account')}: paused true; from version 4.`;

/** A request that the key must sign. */
function asked(transaction = transactionOf(PAUSE), id = 'sig_1'): ToSign & { status: 'signature_required'; message: string } {
  return {
    status: 'signature_required',
    signature_request_id: id,
    transaction,
    summary: ['It pauses.'],
    expires_at: '',
    message: 'Sign it.',
  };
}

type Reply = [status: number, body: object];
const EXPIRED: Reply = [409, { error: 'conflict', status: 'expired' }];

/** A client of a service that gives these replies in their order, the last one again and again; and the paths that it was called by. */
function serviceWith(...replies: Reply[]): { client: AgentPayments; paths: string[] } {
  const paths: string[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    const [status, body] = (replies.length > 1 ? replies.shift() : replies[0]) ?? [500, {}];
    paths.push(new URL((input as Request).url).pathname.replace('/v1/', ''));
    return Response.json(body, { status });
  };
  return { client: new AgentPayments({ apiKey: 'k', baseURL: 'http://service.example', maxRetries: 0, fetch }), paths };
}

/** Signs a request, with these answers to questions. What is said goes to `notes`. */
function sign(client: AgentPayments, options: SigningOptions = {}, request = asked(), answers: boolean[] = []) {
  const context = quietContext();
  context.confirm = async () => answers.shift() ?? false;
  return signAll(context, client, request, keypair, options);
}

let notes: string[] = [];
beforeEach(() => (notes = []));
function quietContext(): Context {
  const context = new Context(new AbortController().signal, () => undefined);
  context.note = (line) => void notes.push(line);
  context.print = (_value, text) => void notes.push(text);
  return context;
}

test('a request is signed again while a further signature is needed, and the last answer is returned', async () => {
  const { client, paths } = serviceWith([202, asked()], [202, asked()], [200, { version: 2 }]);
  expect(await sign(client)).toEqual({ version: 2 });
  expect(paths).toEqual(Array(3).fill('signature_requests/sig_1'));
});

test('a request that expires before its signature arrives is renewed and signed again, three times in a row at most', async () => {
  const { client, paths } = serviceWith(EXPIRED, [202, asked()], [200, { version: 2 }]);
  expect(await sign(client)).toEqual({ version: 2 });
  expect(paths).toEqual(['signature_requests/sig_1', 'signature_requests/sig_1/renew', 'signature_requests/sig_1']);
  const late = serviceWith(EXPIRED, [202, asked()], EXPIRED, [202, asked()], EXPIRED, [202, asked()], EXPIRED);
  await expect(sign(late.client)).rejects.toThrow(ConflictError);
  expect(late.paths).toHaveLength(7);
});

test('an answer that asks for the signature of another request is not signed', async () => {
  const { client, paths } = serviceWith([202, asked(undefined, 'sig_2')]);
  await expect(sign(client)).rejects.toThrow(SignatureRequired);
  expect(paths).toEqual(['signature_requests/sig_1']);
});

test('what the service says and what the bytes do are said, also where they differ', async () => {
  const { client } = serviceWith([200, { version: 2 }]);
  await sign(client, {}, asked(transactionOf(policyChange({ maxDailySpend: null }))));
  expect(notes).toEqual([
    'The service says:',
    '  It pauses.',
    'The transaction does:',
    `  Sets the policy of the account or fleet ${made.at('account')}: max_daily_spend no limit; from version 4.`,
  ]);
});

const theft = SystemProgram.transfer({ fromPubkey: made.operator.publicKey, toPubkey: PublicKey.unique(), lamports: 1 });

test.each([
  ['moves SOL of the key', transactionOf(PAUSE, theft), /The transaction cannot be read: .*11111111.*--program-id\. Nothing was signed\.$/],
  ['has the key pay its fee', made.base64Of(made.versionedOf([PAUSE], made.operator.publicKey)), /takes its fee .* Nothing was signed\.$/],
  [
    'hands the account over beside a policy change',
    transactionOf(PAUSE, made.handOver()),
    /several things at once: set_policy, set_operator\. Nothing/,
  ],
])('a transaction that %s is refused, and nothing is sent', async (_what, transaction, message) => {
  const { client, paths } = serviceWith([200, {}]);
  const refusal = await sign(client, {}, asked(transaction)).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(RefusedError);
  expect((refusal as Error).message).toMatch(message);
  expect(notes.slice(0, 3)).toEqual(['The service says:', '  It pauses.', 'The transaction does:']);
  expect(paths).toEqual([]);
});

test('a key that is not a signer signs nothing, and the message names the signers', async () => {
  const { client } = serviceWith([200, {}]);
  const other = new Keypair(new Uint8Array(32).fill(5));
  const signing = signAll(quietContext(), client, asked(), other);
  await expect(signing).rejects.toThrow(UsageError);
  await expect(signing).rejects.toThrow(
    `The key ${other.address} is not a signer of this transaction. Nothing was signed. Its signers: ${made.feePayer.publicKey.toBase58()}, ${keypair.address}.`,
  );
});

test.each([
  ['another kind', made.handOver(), 'The transaction does set_operator, and not set_policy'],
  ['another account', made.policyChange({ paused: true }, 4n, made.programId, PublicKey.unique()), 'it is about the policy of'],
])(
  'a further or renewed transaction of %s than the first is refused, and the message says how many were signed',
  async (_what, next, words) => {
    const further = serviceWith([202, asked(transactionOf(next))]);
    await expect(sign(further.client)).rejects.toThrow(words);
    await expect(sign(serviceWith([202, asked(transactionOf(next))]).client)).rejects.toThrow('It was not signed. Signed before it: 1.');
    expect(further.paths).toHaveLength(1);
    const late = serviceWith(EXPIRED, [202, asked(transactionOf(next))]);
    await expect(sign(late.client)).rejects.toThrow(words);
    expect(late.paths).toEqual(['signature_requests/sig_1', 'signature_requests/sig_1/renew']);
  },
);

test('a person who is asked agrees to each transaction that does something else, and to a renewed one that does the same only once', async () => {
  const other = asked(transactionOf(policyChange({ maxDailySpend: null })));
  const { client, paths } = serviceWith(EXPIRED, [202, asked()], [202, other], [200, {}]);
  await expect(sign(client, { asks: true }, asked(), [true, false])).rejects.toThrow(Exit);
  expect(paths).toHaveLength(3);
  expect(notes.at(-1)).toBe('It was not signed. Signed before it: 2.');
  expect(notes.filter((line) => line.includes(SENTENCE))).toHaveLength(1);
});

const approvalOf = (amount: bigint, destination?: PublicKey) => {
  const args = { seq: made.micro(1n), transfer_id: Array(16).fill(1), amount: made.micro(amount), category: null, memo_hash: null };
  return asked(transactionOf(made.operation('transfer', { args }, destination ? { destination } : {})));
};

test('an approval is signed once: neither a renewed nor a further one is signed without a question', async () => {
  const late = serviceWith(EXPIRED, [202, approvalOf(6n)], [200, {}]);
  await expect(sign(late.client, { expected: { only: ['transfer'] } }, approvalOf(6n))).rejects.toThrow('An approval is signed once');
  expect(late.paths).toEqual(['signature_requests/sig_1', 'signature_requests/sig_1/renew']);
  const further = serviceWith([202, approvalOf(6n)], [200, {}]);
  await expect(sign(further.client, {}, approvalOf(6n))).rejects.toThrow(RefusedError);
  expect(further.paths).toHaveLength(1);
  const agreed = serviceWith(EXPIRED, [202, approvalOf(6n)], [200, { status: 'settled' }]);
  expect(await sign(agreed.client, { asks: true }, approvalOf(6n), [true, true])).toEqual({ status: 'settled' });
  expect(notes).toContain('You have signed this approval before. If the service keeps both, both can pay.');
});

test('a closing goes on from sessions that are written off to the account, and its renewal keeps the destination', async () => {
  const [writeOff, close] = [made.operation('write_off_session'), made.operation('close_account')].map((one) => asked(transactionOf(one)));
  const { client } = serviceWith([202, close as object], EXPIRED, [202, close as object], [200, { state: 'closed' }]);
  expect(await sign(client, {}, writeOff)).toEqual({ state: 'closed' });
  const elsewhere = asked(transactionOf(made.operation('close_account', {}, { destination: PublicKey.unique() })));
  await expect(sign(serviceWith(EXPIRED, [202, elsewhere]).client, {}, close)).rejects.toThrow('the money moves to');
});

test('a command signs what it asked for, and refuses another thing', async () => {
  const context = quietContext();
  context.keypair = () => keypair;
  const call = () => Promise.reject(new SignatureRequired(asked()));
  const { client, paths } = serviceWith([200, { version: 2 }]);
  await expect(signed(context, client, call, { only: ['set_operator'] })).rejects.toThrow('does set_policy, and not set_operator');
  expect(paths).toEqual([]);
  expect(await signed(context, client, call, { only: ['set_policy'] })).toEqual({ version: 2 });
});

test('a program at another address is signed for where that address is given', async () => {
  const program = PublicKey.unique();
  const request = asked(transactionOf(policyChange({ paused: true }, null, program)));
  const { client } = serviceWith([200, { version: 2 }]);
  await expect(sign(client, {}, request)).rejects.toThrow('--program-id');
  const context = quietContext();
  context.programId = program.toBase58();
  expect(await signAll(context, client, request, keypair)).toEqual({ version: 2 });
});

test('a challenge is signed only where it is the text that accepts the operator’s accounts', async () => {
  const present = PublicKey.unique();
  const operator: Reply = [200, { operator_id: 'op_1', chain_key: present.toBase58(), chain_key_custody: 'service' }];
  const challenge = (key: PublicKey): string =>
    `agent-policy: become the operator of the accounts of ${key.toBuffer().toString('hex')}; nonce ${'0'.repeat(32)}`;
  for (const text of ['', 'a text', challenge(PublicKey.unique()), `${challenge(present)}\n`, ` ${challenge(present)}`]) {
    const { client, paths } = serviceWith(operator, [200, { challenge: text }], [202, {}]);
    await expect(accept(client, keypair)).rejects.toThrow('Nothing was signed');
    expect(paths).not.toContain('operators/chain_key');
  }
  const { client, paths } = serviceWith(operator, [200, { challenge: challenge(present) }], [202, {}]);
  await accept(client, keypair);
  expect(paths.at(-1)).toBe('operators/chain_key');
});
