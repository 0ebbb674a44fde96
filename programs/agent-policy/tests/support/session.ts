/** Builders: a session of a test account, its vouchers and instructions, and readers of its state. */
import { createHash } from 'node:crypto';
import {
  ASSOCIATED_TOKEN_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
} from '@solana/spl-token';
import { Ed25519Program, PublicKey, SYSVAR_INSTRUCTIONS_PUBKEY, TransactionInstruction } from '@solana/web3.js';
import { categoryEntry } from '../../../../libs/chain/src/policy/list-entries';
import { Addresses, u64, type Found } from '../../../../libs/chain/src/program/addresses';
import { PROGRAM_ID, coder, toBn } from '../../../../libs/chain/src/program/idl';
import { instruction } from '../../../../libs/chain/src/program/instruction';
import { anAccount, type AccountOptions, type TestAccount } from './account';
import { idOf, type Accounts } from './account-instructions';
import type { Key, TestChain } from './chain';
import { plain, type Outcome } from './outcome';

/** Bytes of a `Session`. */
export const SESSION_SPACE = 408;
export const HOUR = 3_600;

export interface Opening {
  seq: bigint;
  cap: bigint;
  sessionId: Buffer;
  category: string | null;
  expiresInSeconds: number;
  graceSeconds: number;
  /** Whether the operator signs as well. */
  approved: boolean;
  voucherKey: PublicKey;
  /** Default: those of the addresses. */
  bumps: Partial<Bumps>;
}

type Bumps = Record<'session' | 'escrow' | 'payee', number>;

/** Micro-USDC, and whether the operator signs as well. */
type TopUp = { seq: bigint; amount: bigint; approved: boolean; topUpId: Buffer };

/** Content of a voucher, and how a test falsifies it. */
export interface VoucherOptions {
  expiresAt?: bigint;
  session?: PublicKey;
  prefix?: number[];
  signer?: Key;
}

export class TestSession {
  readonly chain: TestChain;
  readonly address: PublicKey;
  readonly escrow: PublicKey;
  readonly payee: Key;
  readonly payeeTokenAccount: PublicKey;
  readonly voucherKey: Key;
  readonly bumps: Bumps;

  /** `steps`: how many valid bumps are skipped, for an address that is not the canonical one. */
  constructor(
    readonly account: TestAccount,
    readonly seq: bigint,
    payee?: Key,
    steps: { session?: number; escrow?: number } = {},
  ) {
    this.chain = account.chain;
    const session = search(sessionSeeds(account, seq), steps.session);
    const escrow = search([Buffer.from('escrow'), session.address.toBytes()], steps.escrow);
    [this.address, this.escrow] = [session.address, escrow.address];
    this.payee = payee ?? this.chain.aKey();
    this.voucherKey = this.chain.aKey(0n);
    const payeeTokenAccount = new Addresses(PROGRAM_ID, account.mint).associated(this.payee.publicKey);
    this.payeeTokenAccount = payeeTokenAccount.address;
    this.bumps = { session: session.bump, escrow: escrow.bump, payee: payeeTokenAccount.bump };
    if (!this.chain.exists(this.payeeTokenAccount)) this.chain.run(this.createPayeeAccount());
  }

  createPayeeAccount(): TransactionInstruction {
    return createAssociatedTokenAccountIdempotentInstruction(
      this.chain.feePayer.publicKey,
      this.payeeTokenAccount,
      this.payee.publicKey,
      this.account.mint,
    );
  }

  closePayeeAccount(): TransactionInstruction {
    return createCloseAccountInstruction(this.payeeTokenAccount, this.payee.publicKey, this.payee.publicKey);
  }

  // Instructions

  open(
    { cap = 100n, seq = this.seq, approved = false, category = null, ...rest }: Partial<Opening> = {},
    accounts: Accounts = {},
  ): TransactionInstruction {
    return this.instruction(
      'open_session',
      { operator: approved ? this.account.operator.publicKey : undefined, ...accounts },
      {
        args: {
          seq: toBn(seq),
          session_id: [...(rest.sessionId ?? idOf(seq))],
          provider_hash: [...createHash('sha256').update('https://provider.example').digest()],
          cap: toBn(cap),
          voucher_key: rest.voucherKey ?? this.voucherKey.publicKey,
          category: category === null ? null : [...categoryEntry(category)],
          expires_in_seconds: rest.expiresInSeconds ?? HOUR,
          grace_seconds: rest.graceSeconds ?? 0,
          session_bump: rest.bumps?.session ?? this.bumps.session,
          escrow_bump: rest.bumps?.escrow ?? this.bumps.escrow,
          payee_bump: rest.bumps?.payee ?? this.bumps.payee,
        },
      },
    );
  }

  topUp(
    { seq = this.account.seq + 1n, amount = 10n, approved = false, topUpId = idOf(seq) }: Partial<TopUp> = {},
    accounts: Accounts = {},
  ): TransactionInstruction {
    return this.instruction(
      'top_up_session',
      { operator: approved ? this.account.operator.publicKey : undefined, ...accounts },
      { args: { seq: toBn(seq), top_up_id: [...topUpId], amount: toBn(amount) } },
    );
  }

  /** Two instructions with a voucher, one without. */
  settle(cumulative: bigint | null, options: VoucherOptions = {}, accounts: Accounts = {}): TransactionInstruction[] {
    return this.after(cumulative, options, (shown) => this.instruction('settle_session', { ...shown, ...accounts }, {}));
  }

  /** The closer defaults to the authority. */
  close(
    cumulative: bigint | null,
    {
      consent = false,
      closer = this.account.authority.publicKey,
      ...options
    }: VoucherOptions & { consent?: boolean; closer?: PublicKey } = {},
    accounts: Accounts = {},
  ): TransactionInstruction[] {
    const payee_consent = consent ? this.payee.publicKey : undefined;
    return this.after(cumulative, options, (shown) =>
      this.instruction('close_session', { ...shown, closer, payee_consent, ...accounts }, {}),
    );
  }

  closeExpired(cumulative: bigint | null, options: VoucherOptions = {}, accounts: Accounts = {}): TransactionInstruction[] {
    return this.after(cumulative, options, (shown) => this.instruction('close_expired_session', { ...shown, ...accounts }, {}));
  }

  writeOff(accounts: Accounts = {}): TransactionInstruction {
    return this.instruction('write_off_session', { operator: this.account.operator.publicKey, ...accounts }, {});
  }

  private after(cumulative: bigint | null, options: VoucherOptions, build: (shown: Accounts) => TransactionInstruction) {
    return cumulative === null ? [build({})] : [this.verify(cumulative, options), build({ instructions: SYSVAR_INSTRUCTIONS_PUBKEY })];
  }

  /** The ed25519 instruction that verifies a voucher. */
  verify(cumulative: bigint, options: VoucherOptions = {}): TransactionInstruction {
    const { signer = this.voucherKey } = options;
    const message = this.voucher(cumulative, options);
    return Ed25519Program.createInstructionWithPublicKey({
      publicKey: signer.publicKey.toBytes(),
      message,
      signature: signer.sign(message),
    });
  }

  voucher(cumulative: bigint, { expiresAt = 0n, session = this.address, prefix = [0x56, 0x01] }: VoucherOptions = {}): Buffer {
    const message = Buffer.alloc(50);
    message.set(prefix);
    message.set(session.toBytes(), 2);
    message.writeBigUInt64LE(cumulative, 34);
    message.writeBigInt64LE(expiresAt, 42);
    return message;
  }

  private instruction(name: string, accounts: Accounts, args: object): TransactionInstruction {
    const { account, chain } = this;
    const own = {
      account: account.address,
      ...account.governing(),
      token_account: account.tokenAccount,
      mint: account.mint,
      authority: account.authority.publicKey,
      payer: chain.feePayer.publicKey,
      session: this.address,
      escrow: this.escrow,
      payee: this.payee.publicKey,
      payee_token_account: this.payeeTokenAccount,
      rent_payer: chain.feePayer.publicKey,
    };
    return instruction(PROGRAM_ID, name, { ...own, ...accounts }, args);
  }

  // Actions

  /** Opens the session, and records the nonce if it was used. */
  tryOpen(opening: Partial<Opening> = {}, accounts: Accounts = {}): Outcome {
    const outcome = this.chain.send(this.open(opening, accounts));
    if (outcome.error === undefined && this.seq > this.account.seq) this.account.seq = this.seq;
    return outcome;
  }

  errorOf(opening: Partial<Opening> = {}, accounts: Accounts = {}): string {
    return this.tryOpen(opening, accounts).error ?? 'none';
  }

  // State

  get isOver(): boolean {
    return !this.chain.exists(this.address) && !this.chain.exists(this.escrow);
  }

  read(): Record<string, unknown> {
    return plain(coder.accounts.decode('Session', this.chain.account(this.address).data)) as Record<string, unknown>;
  }

  /** Micro-USDC of the account, the escrow and the payee; 0 for an account that does not exist. */
  balances(): [account: bigint, escrow: bigint, payee: bigint] {
    const of = (address: PublicKey) => (this.chain.exists(address) ? this.chain.balance(address) : 0n);
    return [of(this.account.tokenAccount), of(this.escrow), of(this.payeeTokenAccount)];
  }

  /** The account's reserved and spent amounts and its number of open sessions. */
  books(): { reserved: bigint; spent: bigint; open: number } {
    const { reserved, open_sessions: open, window } = this.account.read();
    return { reserved: reserved as bigint, spent: (window as { spent: bigint }).spent, open: open as number };
  }
}

const sessionSeeds = (account: TestAccount, seq: bigint): Uint8Array[] => [Buffer.from('session'), account.address.toBytes(), u64(seq)];

/** The first bump from 255 downwards that gives an address, after `steps` skipped ones. */
function search(seeds: Uint8Array[], steps = 0, programId = PROGRAM_ID): Found {
  let left = steps;
  for (let bump = 255; bump >= 0; bump--) {
    const address = addressOf([...seeds, Uint8Array.of(bump)], programId);
    if (address && left-- === 0) return { address, bump };
  }
  throw new Error('no bump is left');
}

function addressOf(seeds: Uint8Array[], programId: PublicKey): PublicKey | undefined {
  try {
    return PublicKey.createProgramAddressSync(seeds, programId);
  } catch {
    return undefined; // on the curve: not a program-derived address
  }
}

/** The address of the payee's associated token account under the second valid bump. */
export function otherPayeeAccount({ payee, account }: TestSession): Found {
  return search([payee.publicKey.toBytes(), TOKEN_PROGRAM_ID.toBytes(), account.mint.toBytes()], 1, ASSOCIATED_TOKEN_PROGRAM_ID);
}

/** Of the first `among` nonces, the one whose session address takes the longest search. */
export function unluckiestSeq(account: TestAccount, among: number): bigint {
  const numbers = Array.from({ length: among }, (_, index) => BigInt(index + 1));
  const bumps = numbers.map((seq) => search(sessionSeeds(account, seq)).bump);
  return numbers[bumps.indexOf(Math.min(...bumps))] ?? 1n;
}

/** A session that is not open yet, of an account with 1,000 micro-USDC. */
export function aPlannedSession(chain: TestChain, options: AccountOptions & { payee?: Key } = {}): TestSession {
  const account = anAccount(chain, options);
  return new TestSession(account, account.seq + 1n, options.payee);
}

/** An open session with a cap of 100 micro-USDC for an hour without a grace period, by default. */
export function aSession(chain: TestChain, opening: Partial<Opening> = {}, options: AccountOptions & { payee?: Key } = {}): TestSession {
  return openOn(new TestSession(anAccount(chain, options), 1n, options.payee), opening);
}

/** An open session of an account that exists. */
export function aSessionOf(account: TestAccount, opening: Partial<Opening> = {}): TestSession {
  return openOn(new TestSession(account, account.seq + 1n), opening);
}

/** One more session of the same account. */
export function anotherSession(of: TestSession, opening: Partial<Opening> = {}): TestSession {
  return openOn(new TestSession(of.account, of.account.seq + 1n, of.payee), opening);
}

function openOn(session: TestSession, opening: Partial<Opening>): TestSession {
  const { error, logs } = session.tryOpen(opening);
  if (error !== undefined) throw new Error(`failed with ${error}:\n${logs.join('\n')}`);
  return session;
}

/** No session was opened: nothing moved and no nonce was used. */
export function expectUntouched(session: TestSession): void {
  expect(session.balances()).toEqual([1_000n, 0n, 0n]);
  expect(session.account.read()).toMatchObject({ replay: { highest: 0n }, reserved: 0n, open_sessions: 0 });
  expect(session.chain.exists(session.address)).toBe(false);
}
