/** Sessions: a cap in escrow for one payee, paid out by vouchers. */
import { PublicKey, SYSVAR_INSTRUCTIONS_PUBKEY, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import type { ChainHistory } from '../history/history';
import type { LandedEvent } from '../history/history.types';
import { ChainUnavailableError } from '../chain.errors';
import type { Accounts, SessionInstructions, SettlementName } from './session-instructions';
import type { ChainSession, SessionOrder, SessionOutcome, SessionPayment, SignedVoucher, TopUpOrder } from './session.types';
import type { SettlementCommitment, SignedTransaction, SimulationOutcome } from '../tx/tx.types';
import type { Signer } from '../tx/signing/signer';
import { decodeSpending } from '../accounts/account-data';
import type { ChainClock } from '../clock';
import { findEvent } from '../program/events';
import { COMPUTE_UNITS } from '../program/compute-units';
import type { FleetOf } from '../accounts/fleet-of';
import type { Addresses } from '../program/addresses';
import type { Rpc } from '../rpc/client';
import { errorOf, reasonOf, type Executed } from '../tx/executed';
import type { Runner } from '../tx/runner';
import { cumulativeOf, decodeSession, endOf, isEndOf, standingOf, verifyVoucher } from './session-data';

/** Errors if the session's account is gone: Anchor's AccountNotInitialized and AccountOwnedByWrongProgram. */
export const GONE = ['error_3012', 'error_3007'];
/** Entries of the cache of compiled checks: payments repeat amounts, and compiling a check costs more than simulating it. */
const MAX_COMPILED_CHECKS = 1_000;

/** The version of the policy in a report of spending. */
const policyVersionIn = (report: Buffer): bigint => decodeSpending(report).policyVersion;

/** Whether a session that still exists shows that the instruction was executed. */
const SHOWN = {
  settle_session: ({ status, proven }: ChainSession, cumulative: bigint) => status === 'owed' || proven >= cumulative,
  close_session: ({ status }: ChainSession) => status !== 'open',
  close_expired_session: ({ status }: ChainSession) => status === 'owed',
};

/** Opening and top-up use a nonce: they are simulated, signed and stored like a transfer. The others are executed and may be repeated. */
export class ChainSessions {
  private readonly compiledChecks = new Map<string, Uint8Array>();

  constructor(
    private readonly rpc: Rpc,
    private readonly runner: Runner,
    private readonly addresses: Addresses,
    private readonly history: ChainHistory,
    private readonly instructions: SessionInstructions,
    private readonly fleets: FleetOf,
    private readonly clock: ChainClock,
  ) {}

  /** The addresses of the session that the account's nonce `seq` opens. Pure. */
  plan(account: string, seq: bigint): { address: string; escrow: string } {
    const session = this.addresses.session(new PublicKey(account), seq).address;
    const escrow = this.addresses.escrow(session).address;
    return { address: session.toBase58(), escrow: escrow.toBase58() };
  }

  /** The token account of an owner that a session pays: the associated one. Pure. */
  payeeTokenAccount(payee: string): string {
    return this.addresses.tokenAccount(new PublicKey(payee)).toBase58();
  }

  /** The session as the chain holds it; null if none was opened, or it has ended. */
  async session(address: string): Promise<ChainSession | null> {
    return (await this.sessions([address]))[0] ?? null;
  }

  /** Many sessions, a hundred per request, from a node that has reached `minContextSlot`. */
  async sessions(
    addresses: string[],
    minContextSlot = 0,
    commitment: SettlementCommitment = 'confirmed',
  ): Promise<(ChainSession | null)[]> {
    const infos = await this.rpc.accounts(addresses, minContextSlot, commitment);
    return infos.map((info, index) =>
      info?.owner.equals(this.addresses.programId) ? decodeSession(addresses[index] ?? '', info.data) : null,
    );
  }

  // Orders

  /** Simulates an opening with the nonce `seq`. Nothing is sent. */
  simulateOpen(order: SessionOrder, seq: bigint, minContextSlot: number): Promise<SimulationOutcome> {
    return this.runner.simulate([this.instructions.open(order, seq)], COMPUTE_UNITS.openSession, minContextSlot);
  }

  /** Signs an opening under a recent blockhash. Nothing is sent: `orders.settle` submits it. */
  signOpen(order: SessionOrder, seq: bigint, signers: Signer[]): Promise<SignedTransaction> {
    return this.runner.sign([this.instructions.open(order, seq)], COMPUTE_UNITS.openSession, signers);
  }

  /** Simulates a top-up with the nonce `seq`. Nothing is sent. */
  simulateTopUp(order: TopUpOrder, seq: bigint, minContextSlot: number): Promise<SimulationOutcome> {
    return this.runner.simulate([this.instructions.topUp(order, seq)], COMPUTE_UNITS.topUpSession, minContextSlot);
  }

  /** Signs a top-up under a recent blockhash. Nothing is sent. */
  signTopUp(order: TopUpOrder, seq: bigint, signers: Signer[]): Promise<SignedTransaction> {
    return this.runner.sign([this.instructions.topUp(order, seq)], COMPUTE_UNITS.topUpSession, signers);
  }

  /** Simulates a payment inside a session, by the program's view: every rule but the limits of a time and the balance, and that it is open. */
  checkPayment(payment: SessionPayment, minContextSlot: number): Promise<SimulationOutcome> {
    const { address, fleet = '', hasOwnPolicy = true, session, microUsdc, category } = payment;
    const key = [address, fleet, hasOwnPolicy, session, microUsdc, category].join(' ');
    const known = this.compiledChecks.get(key);
    if (known) return this.runner.simulateCompiled(known, minContextSlot, policyVersionIn);
    const compiled = this.runner.compile(this.instructions.checkPayment(payment), COMPUTE_UNITS.checkPayment + COMPUTE_UNITS.spending);
    if (this.compiledChecks.size >= MAX_COMPILED_CHECKS) this.compiledChecks.clear();
    this.compiledChecks.set(key, compiled);
    return this.runner.simulateCompiled(compiled, minContextSlot, policyVersionIn);
  }

  // Settlement and closing

  /**
   * Pays the payee the voucher's cumulative amount; null claims what is owed. Repeating it, or an older voucher, pays nothing more.
   * While the payee cannot receive, the chain records the voucher and pays later, at the latest when the session ends. Of a session
   * that has ended it returns the outcome of its closing.
   * @throws ChainRefusedError with the program's reason, such as `payee_blocked`; ChainOutcomeUnknownError: call again;
   * ChainUnavailableError.
   */
  async settle(session: string, voucher: SignedVoucher | null): Promise<SessionOutcome> {
    const found = await this.session(session);
    if (!found) return this.ending(session);
    return this.execute('settle_session', found, voucher, { mayEnd: found.status === 'owed', computeUnits: COMPUTE_UNITS.settleSession });
  }

  /**
   * Pays the voucher (null: the highest one recorded) and refunds the rest; or starts the grace period, unless the payee signs too.
   * `closer` is the account's authority or operator. If the session ends, a payee's token account that is gone is created again. Of a
   * session that has ended it returns the outcome of its closing. Throws as `settle` does.
   */
  async close(
    session: string,
    voucher: SignedVoucher | null,
    { closer, payee }: { closer: Signer; payee?: Signer },
  ): Promise<SessionOutcome> {
    const found = await this.session(session);
    if (!found) return this.ending(session);
    const accounts = { closer: new PublicKey(closer.address), payee_consent: payee && new PublicKey(payee.address) };
    const mayEnd = found.graceSeconds === 0 || payee !== undefined || found.status === 'owed' || found.endsAt <= (await this.clock.now());
    return this.execute('close_session', found, voucher, {
      mayEnd,
      accounts,
      computeUnits: COMPUTE_UNITS.closeSession,
      signers: payee ? [closer, payee] : [closer],
    });
  }

  /** Closes without a signature, once the grace period has passed since the closing or the expiry. Throws as `settle` does. */
  async closeExpired(session: string, voucher: SignedVoucher | null): Promise<SessionOutcome> {
    const found = await this.session(session);
    if (!found) return this.ending(session);
    return this.execute('close_expired_session', found, voucher, { mayEnd: true, computeUnits: COMPUTE_UNITS.closeSession });
  }

  /** The end of a session, by its event; null if none ended at this address, or its account still exists. */
  async ended(session: string): Promise<SessionOutcome | null> {
    const event = (await this.history.findEvent(session, 'SessionClosed', isEndOf(session))) ?? (await this.closedBeforeWriteOff(session));
    return event && !(await this.sessions([session], event.slot))[0] ? endOf(event) : null;
  }

  /**
   * How a session was closed whose debt was written off since. The debt counts as settled here: it left the session, and is the
   * account's by another transaction, which is an arrival of its own.
   */
  private async closedBeforeWriteOff(address: string): Promise<LandedEvent<'SessionClosed'> | null> {
    const isOf = ({ session }: { session: PublicKey }): boolean => session.toBase58() === address;
    const written = await this.history.findEvent(address, 'SessionWrittenOff', isOf);
    return written && this.history.findEvent(address, 'SessionClosed', isOf);
  }

  /** The end of a session whose account is gone. @throws ChainUnavailableError if a stale node does not have its opening or its end. */
  private async ending(session: string): Promise<SessionOutcome> {
    const ended = await this.ended(session);
    if (!ended) throw new ChainUnavailableError(`there is no session at ${session}, and the history does not have its end`);
    return ended;
  }

  /** The state of a session that could not be paid now, and the last transaction that touched it. */
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
    const made = mayEnd && (await this.isPayeeGone(session, voucher)) ? [this.instructions.payeeAccount(session)] : [];
    const shown = voucher ? { instructions: SYSVAR_INSTRUCTIONS_PUBKEY } : {};
    const main = await this.settlement(name, session, { ...shown, ...accounts });
    // The program reads the verification from the instruction immediately before its own.
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
    const reason = reasonOf(executed);
    // It was ended concurrently.
    if (GONE.includes(reason)) return this.ending(session.address);
    // The voucher is recorded, or the session has ended, and the payee cannot receive. Only a claim reports that as an error.
    const isClaim = name === 'settle_session' && session.status === 'owed';
    if (reason === 'payee_blocked' && !isClaim) return this.latest(session);
    throw errorOf(executed, name);
  }

  /** The end of a session whose account is gone: in this transaction, or in a later one. */
  private async endedBy(session: string, { signature, slot }: Executed): Promise<SessionOutcome> {
    const data = findEvent(await this.history.eventsOf(signature), 'SessionClosed', isEndOf(session));
    return data ? endOf({ signature, slot, data }) : this.ending(session);
  }

  /** Whether something is due to a payee whose token account is gone. */
  private async isPayeeGone(session: ChainSession, voucher: SignedVoucher | null): Promise<boolean> {
    const proven = voucher && session.status !== 'owed' ? cumulativeOf(voucher) : 0n;
    if (session.proven <= session.settled && proven <= session.settled) return false;
    const [info] = await this.rpc.accounts([session.payeeTokenAccount]);
    return !info || (info.owner.equals(SystemProgram.programId) && info.data.length === 0);
  }

  /** An instruction that settles or ends a session, with the fleet of its account. */
  async settlement(name: SettlementName, session: ChainSession, accounts: Accounts): Promise<TransactionInstruction> {
    return this.instructions.settlement(name, session, { fleet: await this.fleets.of(session.account), ...accounts });
  }
}

interface Execution {
  /** Whether it may end the session, or claims what an ended one owes. */
  mayEnd: boolean;
  /** In addition to those of every settlement. */
  accounts?: Accounts;
  computeUnits: number;
  signers?: Signer[];
}
