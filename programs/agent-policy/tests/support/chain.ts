/** The compiled program in LiteSVM, in the test's process. */
import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  ACCOUNT_SIZE,
  AccountLayout,
  AccountState,
  MINT_SIZE,
  MintLayout,
  TOKEN_PROGRAM_ID,
  createFreezeAccountInstruction,
  createThawAccountInstruction,
  type RawAccount,
} from '@solana/spl-token';
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { Account, Clock, FailedTransactionMetadata, LiteSvm } from '../../../../libs/litesvm-rpc/src/litesvm';
import { PROGRAM_ID } from '../../../../libs/chain/src/program/idl';
import { PROGRAM_FILE } from '../../../../libs/chain/src/program/program-file';
import { compile } from './message';
import { outcomeOf, type Outcome } from './outcome';

/** `AGENT_POLICY_SO` names another build than the committed one. */
const PROGRAM = readFileSync(process.env.AGENT_POLICY_SO ?? PROGRAM_FILE);
const PACKET_BYTES = 1_232;
const SIGNATURE_BYTES = 64;
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
/** Of the amount in a token account. */
const AMOUNT_OFFSET = 64;
const LAMPORTS = 1_000_000_000_000n;
/** The first second of a bucket of the spend window. */
export const START = 1_800_000_000;
export const NO_LIMIT = 2n ** 64n - 1n;
export const DECIMALS = 6;

/** A key pair. The test chain signs with each key that it created wherever an instruction requires it. */
export class Key {
  readonly publicKey: PublicKey;
  private readonly secret: KeyObject;

  constructor(seed: Buffer) {
    this.secret = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
    this.publicKey = new PublicKey(createPublicKey(this.secret).export({ format: 'der', type: 'spki' }).subarray(12));
  }

  sign(message: Uint8Array): Buffer {
    return sign(null, message, this.secret);
  }
}

export class TestChain {
  readonly feePayer: Key;
  readonly mint: PublicKey;
  readonly freezeAuthority: Key;
  private readonly svm = new LiteSvm();
  private readonly keys = new Map<string, Key>();
  private slot = 1n;

  /** Without `verifies`, keys that must sign do so without a signature, which is faster; the program sees no difference. */
  constructor(private readonly verifies = true) {
    this.svm.setSigverify(verifies);
    this.svm.setBlockhashCheck(false);
    this.svm.setTransactionHistory(0n); // equal transactions may run twice: only the program must prevent it
    this.svm.addProgram(PROGRAM_ID.toBytes(), PROGRAM);
    this.setTime(START);
    this.feePayer = this.aKey();
    this.freezeAuthority = this.aKey();
    this.mint = this.aMint();
  }

  // Keys, money, time

  /** A key with lamports. Deterministic: a test gets the same keys in each run. */
  aKey(lamports = LAMPORTS): Key {
    const key = new Key(createHash('sha256').update(`key ${this.keys.size}`).digest());
    this.keys.set(key.publicKey.toBase58(), key);
    if (lamports > 0n) this.put(key.publicKey, { lamports, owner: PublicKey.default, data: Buffer.alloc(0) });
    return key;
  }

  aMint({ owner = TOKEN_PROGRAM_ID, decimals = DECIMALS } = {}): PublicKey {
    const address = this.aKey(0n).publicKey;
    const data = Buffer.alloc(MINT_SIZE);
    const authority = this.freezeAuthority.publicKey;
    MintLayout.encode(
      {
        mintAuthorityOption: 1,
        mintAuthority: authority,
        supply: 0n,
        decimals,
        isInitialized: true,
        freezeAuthorityOption: 1,
        freezeAuthority: authority,
      },
      data,
    );
    this.put(address, { owner, data });
    return address;
  }

  /** A token account in any state. By default a new wallet owns it. */
  aTokenAccount({ program = TOKEN_PROGRAM_ID, ...fields }: Partial<RawAccount> & { program?: PublicKey } = {}): PublicKey {
    const address = this.aKey(0n).publicKey;
    this.put(address, { owner: program, data: Buffer.alloc(ACCOUNT_SIZE) });
    this.setTokens(address, {
      mint: this.mint,
      owner: fields.owner ?? this.aKey(0n).publicKey,
      state: AccountState.Initialized,
      ...fields,
    });
    return address;
  }

  /** Overwrites fields of a token account without the token program. */
  setTokens(address: PublicKey, fields: Partial<RawAccount>): void {
    this.patch(address, (data) => AccountLayout.encode({ ...AccountLayout.decode(data), ...fields }, data));
  }

  /** The instruction of the mint's issuer that freezes a token account. */
  freeze(tokenAccount: PublicKey): TransactionInstruction {
    return createFreezeAccountInstruction(tokenAccount, this.mint, this.freezeAuthority.publicKey);
  }

  /** The instruction of the mint's issuer that thaws a token account. */
  thaw(tokenAccount: PublicKey): TransactionInstruction {
    return createThawAccountInstruction(tokenAccount, this.mint, this.freezeAuthority.publicKey);
  }

  balance(tokenAccount: PublicKey): bigint {
    return this.account(tokenAccount).data.readBigUInt64LE(AMOUNT_OFFSET);
  }

  lamports(address: PublicKey): bigint {
    return this.svm.getBalance(address.toBytes()) ?? 0n;
  }

  rent(bytes: number): bigint {
    return this.svm.minimumBalanceForRentExemption(BigInt(bytes));
  }

  get now(): number {
    return Number(this.svm.getClock().unixTimestamp);
  }

  setTime(unixSeconds: number): void {
    this.svm.setClock(new Clock(this.slot++, 0n, 0n, 1n, BigInt(unixSeconds)));
  }

  // Accounts as bytes

  exists(address: PublicKey): boolean {
    return this.lamports(address) > 0n;
  }

  account(address: PublicKey): { data: Buffer; owner: PublicKey; lamports: bigint } {
    const found = this.svm.getAccount(address.toBytes());
    if (!found) throw new Error(`there is no account at ${address.toBase58()}`);
    return { data: Buffer.from(found.data()), owner: new PublicKey(found.owner()), lamports: found.lamports() };
  }

  put(address: PublicKey, { owner, data, lamports }: { owner: PublicKey; data: Buffer; lamports?: bigint }): void {
    this.svm.setAccount(address.toBytes(), new Account(lamports ?? this.rent(data.length), data, owner.toBytes(), false, 0n));
  }

  patch(address: PublicKey, change: (data: Buffer) => void): void {
    const account = this.account(address);
    change(account.data);
    this.put(address, account);
  }

  /** Deploys another program. */
  addProgram(address: PublicKey, code: Buffer): void {
    this.svm.addProgram(address.toBytes(), code);
  }

  /** Deploys a program at an address that was a wallet, as the holder of its key can. */
  becomeProgram(address: PublicKey): void {
    this.svm.addProgram(address.toBytes(), PROGRAM);
  }

  /** A copy of an account at a new address, owned by another program if one is named. */
  copy(address: PublicKey, owner = this.account(address).owner): PublicKey {
    const twin = this.aKey(0n).publicKey;
    this.put(twin, { ...this.account(address), owner });
    return twin;
  }

  // Transactions

  /** Runs instructions in one transaction, signed by all keys that they require. */
  send(...instructions: TransactionInstruction[]): Outcome {
    return this.sendAs(this.feePayer, ...instructions);
  }

  sendAs(feePayer: Key, ...instructions: TransactionInstruction[]): Outcome {
    const { bytes, accounts } = this.transaction(feePayer, instructions);
    return outcomeOf(this.svm.sendVersionedTransaction(bytes), accounts, bytes.length);
  }

  /** Runs instructions without changing the state. */
  simulate(...instructions: TransactionInstruction[]): Outcome {
    const { bytes, accounts } = this.transaction(this.feePayer, instructions);
    const result = this.svm.simulateVersionedTransaction(bytes);
    return outcomeOf(result instanceof FailedTransactionMetadata ? result : result.meta(), accounts, bytes.length);
  }

  private transaction(feePayer: Key, instructions: TransactionInstruction[]): { bytes: Buffer; accounts: PublicKey[] } {
    const { bytes, accounts, signers: count } = compile(feePayer.publicKey, instructions);
    const signers = accounts.slice(0, count).map((key) => this.signerOf(key));
    const signatures = signers.map((key) => (this.verifies ? key.sign(bytes) : Buffer.alloc(SIGNATURE_BYTES)));
    const transaction = Buffer.concat([Buffer.of(signers.length), ...signatures, bytes]);
    if (transaction.length > PACKET_BYTES) throw new Error(`a transaction of ${transaction.length} bytes is longer than a packet`);
    return { bytes: transaction, accounts };
  }

  /** Runs instructions that must succeed. */
  run(...instructions: TransactionInstruction[]): Outcome {
    const outcome = this.send(...instructions);
    if (outcome.error !== undefined) throw new Error(`failed with ${outcome.error}:\n${outcome.logs.join('\n')}`);
    return outcome;
  }

  /** Runs instructions and returns the error's name; `none` if they succeeded. */
  errorOf(...instructions: TransactionInstruction[]): string {
    return this.send(...instructions).error ?? 'none';
  }

  private signerOf(key: PublicKey): Key {
    const signer = this.keys.get(key.toBase58());
    if (!signer) throw new Error(`no key to sign for ${key.toBase58()}`);
    return signer;
  }
}

/** A chain with the program and a mint. */
export const aChain = (verifies?: boolean): TestChain => new TestChain(verifies);

/** The instruction with `key` named and not required to sign. */
export function unsigned(instruction: TransactionInstruction, key: PublicKey): TransactionInstruction {
  instruction.keys = instruction.keys.map((meta) => (meta.pubkey.equals(key) ? { ...meta, isSigner: false } : meta));
  return instruction;
}
