/** Builders: a session of a test account, its vouchers and instructions, and what is to be read of it. */
import { createHash } from 'node:crypto';
import { createAssociatedTokenAccountIdempotentInstruction } from '@solana/spl-token';
import { Ed25519Program, PublicKey, SYSVAR_INSTRUCTIONS_PUBKEY, TransactionInstruction } from '@solana/web3.js';
import { categoryEntry } from '../../../../libs/chain/src/solana/entries';
import { Addresses, PROGRAM_ID, coder, instruction, toBn } from '../../../../libs/chain/src/solana/program';
import { anAccount, idOf, type AccountOptions, type Accounts, type TestAccount } from './account';
import { plain, type Key, type Outcome, type TestChain } from './chain';

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
}

/** What a voucher says, and how it may be spoilt. */
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

  constructor(
    readonly account: TestAccount,
    readonly seq: bigint,
    payee?: Key,
  ) {
    this.chain = account.chain;
    const addresses = new Addresses(PROGRAM_ID, account.mint);
    const { session, escrow } = addresses.session(account.address, seq);
    [this.address, this.escrow] = [session, escrow];
    this.payee = payee ?? this.chain.aKey();
    this.voucherKey = this.chain.aKey(0n);
    this.payeeTokenAccount = addresses.tokenAccount(this.payee.publicKey);
    if (!this.chain.exists(this.payeeTokenAccount)) this.chain.run(this.createPayeeAccount());
  }

  createPayeeAccount(): TransactionInstruction {
    return createAssociatedTokenAccountIdempotentInstruction(this.chain.feePayer.publicKey, this.payeeTokenAccount, this.payee.publicKey, this.account.mint);
  }

  createEscrow(): TransactionInstruction {
    return createAssociatedTokenAccountIdempotentInstruction(this.chain.feePayer.publicKey, this.escrow, this.address, this.account.mint);
  }

  // ---- instructions

  open({ cap = 100n, seq = this.seq, approved = false, category = null, ...rest }: Partial<Opening> = {}, accounts: Accounts = {}): TransactionInstruction {
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
        },
      },
    );
  }

  topUp({ seq = this.account.seq + 1n, amount = 10n, approved = false, topUpId = idOf(seq) }: { seq?: bigint; amount?: bigint; approved?: boolean; topUpId?: Buffer } = {}, accounts: Accounts = {}): TransactionInstruction {
    return this.instruction('top_up_session', { operator: approved ? this.account.operator.publicKey : undefined, ...accounts }, { args: { seq: toBn(seq), top_up_id: [...topUpId], amount: toBn(amount) } });
  }

  /** With a voucher, in two instructions; without, in one. */
  settle(cumulative: bigint | null, options: VoucherOptions = {}, accounts: Accounts = {}): TransactionInstruction[] {
    return this.after(cumulative, options, (shown) => this.instruction('settle_session', { ...shown, ...accounts }, {}));
  }

  /** Closed by the authority, unless another is named. */
  close(cumulative: bigint | null, { consent = false, closer = this.account.authority.publicKey, ...options }: VoucherOptions & { consent?: boolean; closer?: PublicKey } = {}, accounts: Accounts = {}): TransactionInstruction[] {
    const payee_consent = consent ? this.payee.publicKey : undefined;
    return this.after(cumulative, options, (shown) => this.instruction('close_session', { ...shown, closer, payee_consent, ...accounts }, {}));
  }

  closeExpired(cumulative: bigint | null, options: VoucherOptions = {}, accounts: Accounts = {}): TransactionInstruction[] {
    return this.after(cumulative, options, (shown) => this.instruction('close_expired_session', { ...shown, ...accounts }, {}));
  }

  private after(cumulative: bigint | null, options: VoucherOptions, build: (accounts: Accounts) => TransactionInstruction): TransactionInstruction[] {
    return cumulative === null ? [build({})] : [this.verify(cumulative, options), build({ instructions: SYSVAR_INSTRUCTIONS_PUBKEY })];
  }

  /** The ed25519 instruction that verifies a voucher. */
  verify(cumulative: bigint, options: VoucherOptions = {}): TransactionInstruction {
    const { signer = this.voucherKey } = options;
    const message = this.voucher(cumulative, options);
    return Ed25519Program.createInstructionWithPublicKey({ publicKey: signer.publicKey.toBytes(), message, signature: signer.sign(message) });
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
      policy: account.policy,
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

  // ---- deeds

  /** Opens, and remembers the number if it was spent. */
  tryOpen(opening: Partial<Opening> = {}, accounts: Accounts = {}): Outcome {
    const outcome = this.chain.send(this.open(opening, accounts));
    if (outcome.refusal === undefined && this.seq > this.account.seq) this.account.seq = this.seq;
    return outcome;
  }

  refusal(opening: Partial<Opening> = {}, accounts: Accounts = {}): string {
    return this.tryOpen(opening, accounts).refusal ?? 'none';
  }

  // ---- what is on chain

  get isOver(): boolean {
    return !this.chain.exists(this.address) && !this.chain.exists(this.escrow);
  }

  read(): Record<string, unknown> {
    return plain(coder.accounts.decode('Session', this.chain.account(this.address).data)) as Record<string, unknown>;
  }

  /** Micro-USDC of the account, the escrow and the payee; an account that is no more holds nothing. */
  balances(): [account: bigint, escrow: bigint, payee: bigint] {
    const of = (address: PublicKey) => (this.chain.exists(address) ? this.chain.balance(address) : 0n);
    return [of(this.account.tokenAccount), of(this.escrow), of(this.payeeTokenAccount)];
  }

  /** What the account has reserved, spent in the window, and how many sessions it has open. */
  books(): { reserved: bigint; spent: bigint; open: number } {
    const { reserved, open_sessions: open, window } = this.account.read();
    return { reserved: reserved as bigint, spent: (window as { spent: bigint }).spent, open: open as number };
  }
}

/** A session that is not open yet, of an account with 1,000 micro-USDC. */
export function aPlannedSession(chain: TestChain, options: AccountOptions & { payee?: Key } = {}): TestSession {
  const account = anAccount(chain, options);
  return new TestSession(account, account.seq + 1n, options.payee);
}

/** An open session with a cap of 100 micro-USDC for an hour without a grace period, unless told otherwise. */
export function aSession(chain: TestChain, opening: Partial<Opening> = {}, options: AccountOptions & { payee?: Key } = {}): TestSession {
  return openOn(new TestSession(anAccount(chain, options), 1n, options.payee), opening);
}

/** One more session of the same account. */
export function anotherSession(of: TestSession, opening: Partial<Opening> = {}): TestSession {
  return openOn(new TestSession(of.account, of.account.seq + 1n, of.payee), opening);
}

function openOn(session: TestSession, opening: Partial<Opening>): TestSession {
  const { refusal, logs } = session.tryOpen(opening);
  if (refusal !== undefined) throw new Error(`refused with ${refusal}:\n${logs.join('\n')}`);
  return session;
}
