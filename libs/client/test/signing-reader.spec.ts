import { BorshCoder } from '@coral-xyz/anchor';
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  VersionedTransaction,
} from '@solana/web3.js';
import * as fc from 'fast-check';
import { addSignature, readTransaction, UnreadableTransactionError, type Instruction } from '../src';
import { idl } from '../../chain/src/program/idl';
import * as made from './operator-transactions';
import {
  accepted,
  accounts,
  base64Of,
  feePayer,
  handOver,
  operation,
  operator,
  policyChange,
  programId,
  transactionOf,
  versionedOf,
} from './operator-transactions';

const bytesOf = (base64: string): Buffer => Buffer.from(base64, 'base64');
const POLICY = transactionOf(policyChange({ maxDailySpend: 25_500_000n, allowedCounterparties: [made.at('payee')], paused: false }));
const legacy = (...instructions: TransactionInstruction[]): VersionedTransaction =>
  VersionedTransaction.deserialize(bytesOf(transactionOf(...instructions)));
/** The error for a transaction; undefined if it is read. */
function refusalOf(base64: string, options = {}): string | undefined {
  try {
    readTransaction(base64, options);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(UnreadableTransactionError);
    return (error as UnreadableTransactionError).message;
  }
}
/** The refusal of an instruction whose data or accounts were changed. */
function refusedInstruction(
  change: (changed: TransactionInstruction) => void,
  changed = policyChange({ paused: false }),
): string | undefined {
  change(changed);
  return refusalOf(transactionOf(changed));
}

describe.each([
  ['legacy', (...instructions: TransactionInstruction[]) => legacy(...instructions)],
  ['version 0', (...instructions: TransactionInstruction[]) => versionedOf(instructions)],
])('a transaction of %s', (_kind, make) => {
  test('signers, fee payer and writable accounts are those that the runtime takes', () => {
    const transaction = make(policyChange({ paused: true }), handOver());
    const { message } = transaction;
    const keys = message.staticAccountKeys.map((key) => key.toBase58());
    expect(readTransaction(base64Of(transaction))).toMatchObject({
      feePayer: feePayer.publicKey.toBase58(),
      signers: keys.slice(0, message.header.numRequiredSignatures),
      writable: keys.filter((_, index) => message.isAccountWritable(index)),
      message: Uint8Array.from(message.serialize()),
    });
  });

  test('a signature that is added is the one that @solana/web3.js makes, and the others stay', () => {
    const [half, complete] = [make(policyChange({ paused: true })), make(policyChange({ paused: true }))];
    complete.message.recentBlockhash = half.message.recentBlockhash;
    half.sign([feePayer]);
    complete.sign([feePayer, operator]);
    const index = complete.message.staticAccountKeys.findIndex((key) => key.equals(operator.publicKey));
    expect(addSignature(base64Of(half), made.chainKey, complete.signatures[index]!)).toBe(base64Of(complete));
    expect(() => addSignature(base64Of(half), made.at('payee'), new Uint8Array(64))).toThrow('is not a signer of this transaction');
    expect(() => addSignature(base64Of(half), made.chainKey, new Uint8Array(63))).toThrow('a signature has 64 bytes, not 63');
  });
});

test('a transaction that @solana/web3.js builds itself is read, and its signatures verify', () => {
  const transaction = new Transaction({ feePayer: feePayer.publicKey, recentBlockhash: PublicKey.unique().toBase58() });
  transaction.add(policyChange({ paused: true }));
  transaction.partialSign(feePayer);
  const unsigned = transaction.serialize({ requireAllSignatures: false }).toString('base64');
  const half = VersionedTransaction.deserialize(bytesOf(unsigned));
  half.sign([operator]);
  const index = half.message.staticAccountKeys.findIndex((key) => key.equals(operator.publicKey));
  const signed = addSignature(unsigned, made.chainKey, half.signatures[index]!);
  expect(Transaction.from(bytesOf(signed)).verifySignatures()).toBe(true);
});

test('the compute budget is read, and is no sentence', () => {
  const { instructions, sentences } = readTransaction(POLICY);
  expect(instructions.map(({ name, args }) => [name, 'value' in args ? args.value : null])).toEqual([
    ['set_compute_unit_limit', 20_000n],
    ['set_compute_unit_price', 7n],
    ['set_loaded_accounts_data_size_limit', 2n * 1024n * 1024n],
    ['set_policy', null],
  ]);
  expect(sentences).toHaveLength(1);
});

test('a program at another address is read only where that address is named', () => {
  const other = PublicKey.unique();
  const transaction = transactionOf(policyChange({ paused: true }, null, other));
  expect(refusalOf(transaction)).toContain(`the program ${other.toBase58()} is none`);
  expect(readTransaction(transaction, { programId: other.toBase58() }).sentences).toHaveLength(1);
  expect(refusalOf(POLICY, { programId: other.toBase58() })).toContain(`the program ${programId.toBase58()} is none`);
});

const PAYEE = PublicKey.unique();

test.each([
  [
    'a transfer of SOL',
    SystemProgram.transfer({ fromPubkey: operator.publicKey, toPubkey: PAYEE, lamports: 1 }),
    'the program 11111111111111111111111111111111 is none',
  ],
  ['a heap frame', ComputeBudgetProgram.requestHeapFrame({ bytes: 32_768 }), 'its kind 1 is neither a limit nor a price'],
  [
    'an instruction of agent_policy that the operator does not sign',
    operation('check_payment', { args: { amount: made.micro(1n), category: null } }),
    'of agent_policy is none that the operator',
  ],
  [
    'another text under ed25519',
    accepted(made.at('new_operator'), made.chainKey, 'agent-policy: become the operatox'),
    'its text is not an acceptance',
  ],
])('%s beside a policy change is unreadable', (_what, instruction, words) => {
  expect(refusalOf(transactionOf(policyChange({ paused: true }), instruction))).toContain(words);
});

test.each<[string, (changed: TransactionInstruction) => void, string]>([
  [
    'an account more',
    ({ keys }) => void keys.push({ pubkey: PAYEE, isSigner: false, isWritable: false }),
    'it has 12 accounts instead of 11',
  ],
  ['an account less', ({ keys }) => void keys.pop(), 'it has 10 accounts instead of 11'],
  [
    'another program in the place of the system program',
    ({ keys }) => void (keys[7]!.pubkey = PAYEE),
    `the account system_program is ${PAYEE.toBase58()}`,
  ],
  ['a byte more', (one) => void (one.data = Buffer.concat([one.data, Buffer.of(0)])), '1 bytes too many'],
  ['a byte less', (one) => void (one.data = one.data.subarray(0, -1)), '1 bytes were expected, 0 are left'],
  ['a discriminator of another instruction', ({ data }) => void data.fill(9, 0, 8), 'the instruction 0909090909090909 of agent_policy'],
  ['an option that is 2', ({ data }) => void data.writeUInt8(2, 8), '2 is neither yes (1) nor no (0)'],
  ['a bool that is 2', ({ data }) => void data.writeUInt8(2, data.length - 1), '2 is neither yes (1) nor no (0)'],
  ['an unknown variant', ({ data }) => void data.writeUInt8(3, 17), 'AmountChange has no variant 3'],
  ['a list that is longer than the data', ({ data }) => void (data.writeUInt8(2, 25), data.writeUInt32LE(2 ** 32 - 1, 26)), 'a list of'],
])('a policy change with %s is unreadable, and the error says what and where', (_what, change, words) => {
  const refusal = refusedInstruction(change);
  expect(refusal).toContain(words);
  expect(refusal).toMatch(/instruction 4( \(set_policy\))?, byte \d+: /);
});

test('a draft that is written from the middle of an entry on is unreadable', () => {
  const write = (offset: number, length: number) =>
    refusalOf(transactionOf(operation('write_policy_draft', { offset, content: Buffer.alloc(length, 1) }, { draft: accounts.draft })));
  expect([write(0, 32), write(16, 32), write(32, 48)]).toEqual([
    undefined,
    expect.stringContaining('parts of list entries'),
    expect.stringContaining('parts of list entries'),
  ]);
});

test.each<[string, (bytes: Buffer) => void, string]>([
  ['an unknown version', (bytes) => void bytes.writeUInt8(0x81, 129), 'the version of the message is unknown'],
  [
    'fewer signatures than the message requires',
    (bytes) => void bytes.writeUInt8(3, 129),
    '2 signatures have room, and the message requires 3',
  ],
  ['signers that are all read-only', (bytes) => void bytes.writeUInt8(2, 130), 'the counts of the header contradict each other'],
  ['more read-only keys than keys', (bytes) => void bytes.writeUInt8(200, 131), 'the counts of the header contradict each other'],
  ['a length without an end', (bytes) => void bytes.fill(0xff, 0, 3), 'a length is not in its one form'],
  ['a key twice', (bytes) => void bytes.copy(bytes, 133, 165, 197), 'a key is there twice'],
])('a transaction with %s is unreadable', (_what, damage, words) => {
  const bytes = bytesOf(POLICY);
  damage(bytes);
  expect(refusalOf(base64Of(bytes))).toContain(words);
});

test('a length in more bytes than it needs is unreadable', () => {
  const bytes = bytesOf(POLICY);
  expect(refusalOf(base64Of(Buffer.concat([Buffer.of(0x82, 0x00), bytes.subarray(1)])))).toContain('a length is not in its one form');
});

test.each([
  ['legacy', POLICY],
  ['version 0', base64Of(versionedOf([policyChange({ paused: true })]))],
])('a byte behind the end of a transaction of %s is refused', (_kind, transaction) => {
  expect(refusalOf(base64Of(Buffer.concat([bytesOf(transaction), Buffer.of(0)])))).toContain('the end, byte');
});

test('an address lookup table is refused', () => {
  const transaction = versionedOf([policyChange({ paused: true })]);
  transaction.message.addressTableLookups.push({ accountKey: PAYEE, writableIndexes: [1], readonlyIndexes: [] });
  expect(refusalOf(base64Of(transaction))).toContain('the address lookup tables');
});

test.each([
  ['with a space', ` ${POLICY}`],
  ['with a line break', `${POLICY.slice(0, 40)}\n${POLICY.slice(40)}`],
  ['in base64url', Buffer.alloc(300, 0xff).toString('base64url')],
  ['of 1,233 bytes', Buffer.alloc(1_233).toString('base64')],
  ['that is empty', ''],
])('a text %s is unreadable', (_what, text) => {
  expect(refusalOf(text)).toMatch(/^The transaction cannot be read: /);
});

/** Every kind of transaction that the operator signs. */
const kinds = [
  POLICY,
  base64Of(versionedOf([policyChange({ categories: ['food'], maxSessionCap: null })])),
  transactionOf(accepted(), handOver(), handOver(PAYEE)),
  transactionOf(
    operation('transfer', {
      args: { seq: made.micro(1n), transfer_id: Array(16).fill(1), amount: made.micro(5n), category: null, memo_hash: Array(32).fill(2) },
    }),
  ),
  transactionOf(operation('rotate_authority', { new_authority: Keypair.generate().publicKey })),
];

/** The reading of the same bytes by @solana/web3.js and Anchor's coder: the programs, the accounts, and the arguments of agent_policy. */
function readByOthers(base64: string): { program: string; accounts: string[]; decoded: unknown }[] {
  const { message } = VersionedTransaction.deserialize(bytesOf(base64));
  const keys = message.staticAccountKeys.map((key) => key.toBase58());
  return message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
    program: keys[programIdIndex] ?? '',
    accounts: accountKeyIndexes.map((index) => keys[index] ?? ''),
    decoded: keys[programIdIndex] === programId.toBase58() ? new BorshCoder(idl).instruction.decode(Buffer.from(data)) : null,
  }));
}

/** Numbers as text and bytes in hexadecimal, so that both readings can be compared; variants by name in one form. */
function comparable(value: unknown): unknown {
  if (typeof value === 'bigint' || typeof value === 'number') return value.toString();
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof PublicKey) return value.toBase58();
  if ('toArrayLike' in value) return String(value);
  if (value instanceof Uint8Array || (Array.isArray(value) && typeof value[0] === 'number'))
    return Buffer.from(value as Uint8Array).toString('hex');
  if (Array.isArray(value)) return value.map(comparable);
  const { kind, ...fields } = value as { kind?: string };
  const plain = Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, comparable(one)]));
  return kind === undefined ? plain : { [kind]: plain };
}

/** The accounts that are given. The program's own address stands for an optional account that is absent, and for nothing else. */
function presentAccounts(other: ReturnType<typeof readByOthers>[number], name: string): string[] {
  type Declared = { optional?: boolean; accounts?: Declared[] };
  const flat = (all: Declared[]): Declared[] => all.flatMap((one) => (one.accounts ? flat(one.accounts) : [one]));
  const declared = flat(idl.instructions.find((one) => one.name === name)!.accounts as Declared[]);
  return other.accounts.filter((address, index) => !(declared[index]?.optional && address === other.program));
}

function isWhatOthersRead(instruction: Instruction, other: ReturnType<typeof readByOthers>[number]): void {
  if (instruction.program !== 'agent_policy') return;
  expect(other.program).toBe(programId.toBase58());
  const { name, data } = other.decoded as { name: string; data: { args?: unknown } };
  expect(name).toBe(instruction.name);
  expect(presentAccounts(other, name)).toEqual(Object.values(instruction.accounts));
  expect(comparable(data.args ?? data)).toEqual(comparable(instruction.args));
}

test('no changed, cut or lengthened transaction is read in another way than @solana/web3.js and Anchor read it', () => {
  const change = fc.oneof(
    fc.record({ at: fc.nat(1_300), byte: fc.nat(255) }).map(({ at, byte }) => (bytes: Buffer) => {
      bytes[at % bytes.length] = byte;
      return bytes;
    }),
    fc.nat(1_300).map((at) => (bytes: Buffer) => bytes.subarray(0, at % bytes.length)),
    fc.record({ at: fc.nat(1_300), more: fc.uint8Array({ minLength: 1, maxLength: 4 }) }).map(({ at, more }) => (bytes: Buffer) => {
      const place = at % (bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, place), more, bytes.subarray(place)]);
    }),
  );
  let accepted = 0;
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.array(change, { minLength: 1, maxLength: 3 }), (kind, changes) => {
      const base64 = base64Of(changes.reduce((bytes, one) => one(bytes), bytesOf(kind)));
      if (refusalOf(base64) !== undefined) return;
      accepted++;
      const { instructions } = readTransaction(base64);
      const others = readByOthers(base64);
      expect(others).toHaveLength(instructions.length);
      instructions.forEach((one, index) => isWhatOthersRead(one, others[index]!));
    }),
    { numRuns: 1_000 },
  );
  // Changes of addresses, amounts and signatures are other transactions, which are read as what they are.
  expect(accepted).toBeGreaterThan(20);
});

test('every cut of a transaction is unreadable', () => {
  for (const kind of kinds) {
    const bytes = bytesOf(kind);
    for (let length = 0; length < bytes.length; length++) expect(refusalOf(base64Of(bytes.subarray(0, length)))).toBeDefined();
  }
});
