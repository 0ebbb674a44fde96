import { createAssociatedTokenAccountIdempotentInstruction } from '@solana/spl-token';
import { PublicKey, SYSVAR_CLOCK_PUBKEY, SYSVAR_INSTRUCTIONS_PUBKEY, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import type { ChainHistory } from '../history/history';
import { ChainRefusedError, ChainUnavailableError } from '../chain.errors';
import type { ChainSession, SessionOrder, SessionOutcome, SessionPayment, SignedVoucher, TopUpOrder } from './session.types';
import type { SignedTransaction, Verdict } from '../tx/tx.types';
import type { Signer } from '../tx/signer';
import { unixSecondsOf } from '../rpc/clock';
import { findEvent } from '../program/events';
import { COMPUTE_UNITS } from '../program/compute-units';
import { categoryEntry } from '../policy/list-entries';
import { coder, toBn } from '../program/idl';
import { instruction } from '../program/instruction';
import type { Addresses } from '../program/addresses';
import type { Rpc } from '../rpc/client';
import type { Executed, Runner } from '../tx/runner';
import { cumulativeOf, decodeSession, endOf, isEndOf, standingOf, verifyVoucher } from './session-data';

/** The program's reasons when an account that it was given is no more: Anchor's "not initialised" and "owned by another program". */
const GONE = ['error_3012', 'error_3007'];
/** The program's reasons not to write off yet. */
const STILL_DUE = ['claim_not_expired', 'payee_can_receive', 'session_not_owed'];
/** Where a session names its account: behind the discriminator and eight bytes. */
const SESSION_ACCOUNT_OFFSET = 16;
/** Payments of a session repeat amounts, and compiling the check costs more than simulating it. Most compiled checks that are cached. */
const MAX_COMPILED_CHECKS = 1_000;

/** What a session that is still there shows once the instruction was executed. */
const SHOWN = {
  settle_session: ({ status, proven }: ChainSession, cumulative: bigint) => status === 'owed' || proven >= cumulative,
  close_session: ({ status }: ChainSession) => status !== 'open',
  close_expired_session: ({ status }: ChainSession) => status === 'owed',
};

/**
 * Caps set aside for one payee each. What spends a number (`open`, `topUp`) is judged, signed and stored like a transfer; what
 * only follows (`settle`, `close`) is executed, and may be repeated.
 */
export class ChainSessions {
  private readonly compiledChecks = new Map<string, Uint8Array>();

  constructor(
    private readonly rpc: Rpc,
    private readonly runner: Runner,
    private readonly addresses: Addresses,
    private readonly history: ChainHistory,
    private readonly feePayer: PublicKey,
  ) {}

  /** Where the session lies that number `seq` of the account opens. Pure. */
  plan(account: string, seq: bigint): { address: string; escrow: string } {
    const session = this.addresses.session(new PublicKey(account), seq).address;
    const escrow = this.addresses.escrow(session).address;
    return { address: session.toBase58(), escrow: escrow.toBase58() };
  }

  /** The only token account of an owner that a session pays. Pure. */
  payeeTokenAccount(payee: string): string {
    return this.addresses.tokenAccount(new PublicKey(payee)).toBase58();
  }

  /** The chain's clock, by which sessions expire. */
  async now(): Promise<Date> {
    const [clock] = await this.rpc.accounts([SYSVAR_CLOCK_PUBKEY.toBase58()]);
    return new Date(Number(unixSecondsOf(clock)) * 1000);
  }

  /** The session as the chain holds it; null where none was opened, or it is over. */
  async session(address: string): Promise<ChainSession | null> {
    return (await this.sessions([address]))[0] ?? null;
  }

  /** Many sessions, a hundred a request, by a node that has reached `minContextSlot`. */
  async sessions(addresses: string[], minContextSlot = 0): Promise<(ChainSession | null)[]> {
    const infos = await this.rpc.accounts(addresses, minContextSlot);
    return infos.map((info, index) =>
      info?.owner.equals(this.addresses.programId) ? decodeSession(addresses[index] ?? '', info.data) : null,
    );
  }

  // ---- what spends a number

  /** The program's verdict on an opening, with the number `seq`. Nothing is sent. */
  judgeOpen(order: SessionOrder, seq: bigint, minContextSlot: number): Promise<Verdict> {
    return this.runner.simulate([this.open(order, seq)], COMPUTE_UNITS.openSession, minContextSlot);
  }

  /** Signs an opening under a recent blockhash. Nothing is sent: `Chain.settle` does, `Chain.lookUp` finds it, `history.findOrder` proves it. */
  signOpen(order: SessionOrder, seq: bigint, signers: Signer[]): Promise<SignedTransaction> {
    return this.runner.sign([this.open(order, seq)], COMPUTE_UNITS.openSession, signers);
  }

  judgeTopUp(order: TopUpOrder, seq: bigint, minContextSlot: number): Promise<Verdict> {
    return this.runner.simulate([this.topUp(order, seq)], COMPUTE_UNITS.topUpSession, minContextSlot);
  }

  signTopUp(order: TopUpOrder, seq: bigint, signers: Signer[]): Promise<SignedTransaction> {
    return this.runner.sign([this.topUp(order, seq)], COMPUTE_UNITS.topUpSession, signers);
  }

  /** The program's verdict on a single payment inside a session: every rule but the daily limit and the balance, and whether it is open. */
  checkPayment(payment: SessionPayment, minContextSlot: number): Promise<Verdict> {
    const { account, session, microUsdc, category } = payment;
    const key = [account, session, microUsdc, category].join(' ');
    const known = this.compiledChecks.get(key);
    if (known) return this.runner.simulateCompiled(known, minContextSlot);
    const payer = new PublicKey(account);
    const args = { amount: toBn(microUsdc), category: category === null ? null : [...categoryEntry(category)] };
    const check = this.instruction(
      'check_payment',
      { account: payer, policy: this.addresses.policy(payer), session: new PublicKey(session) },
      { args },
    );
    const compiled = this.runner.compile([check], COMPUTE_UNITS.checkPayment);
    if (this.compiledChecks.size >= MAX_COMPILED_CHECKS) this.compiledChecks.clear();
    this.compiledChecks.set(key, compiled);
    return this.runner.simulateCompiled(compiled, minContextSlot);
  }

  // ---- what only follows

  /**
   * Pays the payee what the voucher proves; null claims what is owed. Repeating it, or an older voucher, pays nothing more.
   * While the payee cannot receive, the voucher is shown and nothing is paid: that comes later, at the latest with the end.
   * Once the session is over it answers as its closing did.
   * @throws ChainRefusedError with the program's reason, such as `payee_blocked`; ChainOutcomeUnknownError: call again; ChainUnavailableError.
   */
  async settle(session: string, voucher: SignedVoucher | null): Promise<SessionOutcome> {
    const found = await this.session(session);
    if (!found) return this.ending(session);
    return this.execute('settle_session', found, voucher, { mayEnd: found.status === 'owed', computeUnits: COMPUTE_UNITS.settleSession });
  }

  /**
   * Pays the voucher (null: what was shown before) and gives back the rest; or begins the grace period, unless the payee signs
   * too. `closer` is the account's authority or operator. Where it ends, a payee's token account that has vanished is made again to
   * be paid. Once it is over, it answers as the closing did. Throws as `settle` does.
   */
  async close(
    session: string,
    voucher: SignedVoucher | null,
    { closer, payee }: { closer: Signer; payee?: Signer },
  ): Promise<SessionOutcome> {
    const found = await this.session(session);
    if (!found) return this.ending(session);
    const accounts = { closer: new PublicKey(closer.address), payee_consent: payee && new PublicKey(payee.address) };
    const mayEnd = found.graceSeconds === 0 || payee !== undefined || found.status === 'owed' || found.endsAt <= (await this.now());
    return this.execute('close_session', found, voucher, {
      mayEnd,
      accounts,
      computeUnits: COMPUTE_UNITS.closeSession,
      signers: payee ? [closer, payee] : [closer],
    });
  }

  /** The same by nobody's leave, once a grace period has passed since the closing or the expiry. */
  async closeExpired(session: string, voucher: SignedVoucher | null): Promise<SessionOutcome> {
    const found = await this.session(session);
    if (!found) return this.ending(session);
    return this.execute('close_expired_session', found, voucher, { mayEnd: true, computeUnits: COMPUTE_UNITS.closeSession });
  }

  /**
   * Takes back what the account's sessions owe to payees that could not receive it for 90 days. Others stay. Says how many were
   * written off. @throws ChainRefusedError with the program's reason; ChainOutcomeUnknownError; ChainUnavailableError.
   */
  async writeOffOwed(account: string, operator: Signer): Promise<number> {
    let count = 0;
    for (const session of await this.owedBy(account)) {
      const write = this.instruction('write_off_session', { ...this.settlement(session), operator: new PublicKey(operator.address) }, {});
      const isShown = async (slot: number) => (await this.sessions([session.address], slot))[0] === null;
      const executed = await this.runner.execute([write], COMPUTE_UNITS.closeSession, [operator], isShown);
      if (executed.kind === 'landed') count++;
      else if (executed.kind === 'refused' || ![...GONE, ...STILL_DUE].includes(executed.failure.reason))
        throw new ChainRefusedError(executed.kind === 'failed' ? executed.failure.reason : executed.refusal.rule, 'write_off_session');
    }
    return count;
  }

  /** The account's sessions that ended owing something. */
  private async owedBy(account: string): Promise<ChainSession[]> {
    const filters = [coder.accounts.memcmp('Session'), { offset: SESSION_ACCOUNT_OFFSET, bytes: account }].map((memcmp) => ({ memcmp }));
    const found = await this.rpc.read('no sessions', (connection) => connection.getProgramAccounts(this.addresses.programId, { filters }));
    return found.map(({ pubkey, account: { data } }) => decodeSession(pubkey.toBase58(), data)).filter(({ status }) => status === 'owed');
  }

  /** How a session ended, by its event; null where none ended there, or its account is still shown. */
  async ended(session: string): Promise<SessionOutcome | null> {
    const event = await this.history.findEvent(session, 'SessionClosed', isEndOf(session));
    return event && !(await this.sessions([session], event.slot))[0] ? endOf(event) : null;
  }

  /** A session that is not there has ended, or a node is behind its opening or its end. */
  private async ending(session: string): Promise<SessionOutcome> {
    const ended = await this.ended(session);
    if (!ended) throw new ChainUnavailableError(`there is no session at ${session}, and the history does not tell of its end`);
    return ended;
  }

  /** How a session stands that could not be paid now, and which transaction touched it last. */
  private async latest({ address }: ChainSession): Promise<SessionOutcome> {
    const last = await this.history.newest(address);
    if (!last) throw new ChainUnavailableError(`the node does not have the history of the session ${address}`);
    const [session] = await this.sessions([address], last.slot);
    return session ? standingOf(session, last, session.settled) : this.ending(address);
  }

  private async execute(
    name: keyof typeof SHOWN,
    session: ChainSession,
    voucher: SignedVoucher | null,
    { mayEnd, accounts, computeUnits, signers = [] }: Execution,
  ): Promise<SessionOutcome> {
    const made = mayEnd && (await this.isPayeeGone(session, voucher)) ? [this.makePayeeAccount(session)] : [];
    const shown = voucher ? { instructions: SYSVAR_INSTRUCTIONS_PUBKEY } : {};
    const main = this.instruction(name, { ...this.settlement(session), ...shown, ...accounts }, {});
    // The verification stands immediately before what shows the voucher.
    const instructions = [...made, ...(voucher ? [verifyVoucher(session.voucherKey, voucher)] : []), main];
    let after: ChainSession | null = session;
    const isShown = async (slot: number): Promise<boolean> => {
      after = (await this.sessions([session.address], slot))[0] ?? null;
      return !after || SHOWN[name](after, voucher ? cumulativeOf(voucher) : 0n);
    };
    const executed = await this.runner.execute(
      instructions,
      computeUnits + made.length * COMPUTE_UNITS.payeeTokenAccount,
      signers,
      isShown,
    );
    if (executed.kind === 'landed') return after ? standingOf(after, executed, session.settled) : this.endedBy(session.address, executed);
    const reason = executed.kind === 'failed' ? executed.failure.reason : executed.refusal.rule;
    // Somebody ended it meanwhile.
    if (GONE.includes(reason)) return this.ending(session.address);
    // The chain knows the voucher, or has ended the session, and cannot pay what is due. Who claims it is told so.
    const isClaim = name === 'settle_session' && session.status === 'owed';
    if (reason === 'payee_blocked' && !isClaim) return this.latest(session);
    throw new ChainRefusedError(reason, executed.kind === 'failed' ? `${name}: ${executed.failure.detail}` : name);
  }

  /** The end of a session that is no more: in this transaction, or in another since. */
  private async endedBy(session: string, { signature, slot }: Executed): Promise<SessionOutcome> {
    const data = findEvent(await this.history.eventsOf(signature), 'SessionClosed', isEndOf(session));
    return data ? endOf({ signature, slot, data }) : this.ending(session);
  }

  /** Whether something is due to a payee whose token account has vanished. */
  private async isPayeeGone(session: ChainSession, voucher: SignedVoucher | null): Promise<boolean> {
    const proven = voucher && session.status !== 'owed' ? cumulativeOf(voucher) : 0n;
    if (session.proven <= session.settled && proven <= session.settled) return false;
    const [info] = await this.rpc.accounts([session.payeeTokenAccount]);
    return !info || (info.owner.equals(SystemProgram.programId) && info.data.length === 0);
  }

  /**
   * Our fee payer pays the rent. Only what ends a session, or claims what it owes, makes it, and pays everything by the same
   * transaction: a payee that closes its token account again and again gets one rent a session out of us.
   */
  private makePayeeAccount({ payee, payeeTokenAccount }: ChainSession): TransactionInstruction {
    return createAssociatedTokenAccountIdempotentInstruction(
      this.feePayer,
      new PublicKey(payeeTokenAccount),
      new PublicKey(payee),
      this.addresses.mint,
    );
  }

  private settlement(session: ChainSession): Accounts {
    const account = new PublicKey(session.account);
    return {
      account,
      session: new PublicKey(session.address),
      escrow: new PublicKey(session.escrow),
      mint: this.addresses.mint,
      payee: new PublicKey(session.payee),
      payee_token_account: new PublicKey(session.payeeTokenAccount),
      token_account: this.addresses.tokenAccount(account),
      rent_payer: new PublicKey(session.rentPayer),
    };
  }

  private open(order: SessionOrder, seq: bigint): TransactionInstruction {
    const account = new PublicKey(order.address);
    const payee = new PublicKey(order.payee);
    const [session, payeeTokenAccount] = [this.addresses.session(account, seq), this.addresses.associated(payee)];
    const escrow = this.addresses.escrow(session.address);
    return this.instruction(
      'open_session',
      {
        account,
        policy: this.addresses.policy(account),
        session: session.address,
        escrow: escrow.address,
        authority: new PublicKey(order.authority),
        operator: order.approvedBy ? new PublicKey(order.approvedBy) : undefined,
        payer: this.feePayer,
        token_account: new PublicKey(order.tokenAccount),
        mint: this.addresses.mint,
        payee,
        payee_token_account: payeeTokenAccount.address,
      },
      {
        args: {
          seq: toBn(seq),
          session_id: [...order.sessionId],
          provider_hash: [...order.providerHash],
          cap: toBn(order.cap),
          voucher_key: new PublicKey(order.voucherKey),
          category: order.category === null ? null : [...categoryEntry(order.category)],
          expires_in_seconds: order.expiresInSeconds,
          grace_seconds: order.graceSeconds,
          session_bump: session.bump,
          escrow_bump: escrow.bump,
          payee_bump: payeeTokenAccount.bump,
        },
      },
    );
  }

  private topUp(order: TopUpOrder, seq: bigint): TransactionInstruction {
    const account = new PublicKey(order.address);
    const session = new PublicKey(order.session);
    return this.instruction(
      'top_up_session',
      {
        account,
        policy: this.addresses.policy(account),
        session,
        escrow: this.addresses.escrow(session).address,
        authority: new PublicKey(order.authority),
        operator: order.approvedBy ? new PublicKey(order.approvedBy) : undefined,
        token_account: new PublicKey(order.tokenAccount),
        mint: this.addresses.mint,
      },
      { args: { seq: toBn(seq), top_up_id: [...order.topUpId], amount: toBn(order.microUsdc) } },
    );
  }

  private instruction(name: string, accounts: Accounts, args: object): TransactionInstruction {
    return instruction(this.addresses.programId, name, accounts, args);
  }
}

type Accounts = Record<string, PublicKey | undefined>;

interface Execution {
  /** Whether it ends the session, or claims what an ended one owes. */
  mayEnd: boolean;
  /** Beside those of every settlement. */
  accounts?: Accounts;
  computeUnits: number;
  signers?: Signer[];
}
