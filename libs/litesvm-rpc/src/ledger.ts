/** The chain: accepts transactions, executes each at most once, and records the result with its slot. */
import { EventEmitter } from 'node:events';
import { keyOf, toBase58 } from './wire/bytes';
import type { Clock } from './clock';
import type { Faucet } from './faucet';
import type { Entry, History } from './storage/history';
import type { Machine, AccountState, Outcome, Simulation } from './machine';
import { memoOf } from './wire/memo';
import type { Receipt, RecordHead, SkipRecord, TransactionRecord } from './storage/record';
import type { Slots } from './slots';
import { tokenBalances, type TokenBalance } from './wire/tokens';
import { isWritable, type Message, type Transaction } from './wire/transaction';
import type { TransactionError } from './wire/transaction-error';

/** A transaction that has landed, successfully or not. */
export interface Landing {
  entry: Entry;
  receipt: Receipt;
  addresses: string[];
  /** The accounts that it may have changed, in their new state. */
  accounts: Map<string, AccountState | null>;
}

/** Balances before and after a transaction. */
export interface Balances {
  preBalances: number[];
  postBalances: number[];
  preTokenBalances: TokenBalance[];
  postTokenBalances: TokenBalance[];
}

/** The parts of a ledger; see `storage.ts`. */
export interface LedgerParts {
  slots: Slots;
  clock: Clock;
  machine: Machine;
  history: History;
  faucet: Faucet;
  genesisHash: string;
  /** Appends to the log. A record is durable when it returns. */
  keep(record: Omit<TransactionRecord, 'kind'>, head: RecordHead): Entry;
  keepSkip(record: SkipRecord): void;
}

interface LedgerEvents {
  landing: [Landing];
  slot: [{ slot: number; parent: number }];
}

export class Ledger extends EventEmitter<LedgerEvents> {
  readonly slots: Slots;
  readonly clock: Clock;
  readonly machine: Machine;
  readonly history: History;

  constructor(private readonly parts: LedgerParts) {
    super();
    this.setMaxListeners(0);
    ({ slots: this.slots, clock: this.clock, machine: this.machine, history: this.history } = parts);
    this.showTime();
  }

  get genesisHash(): string {
    return this.parts.genesisHash;
  }

  get faucetAddress(): Buffer {
    return this.parts.faucet.address;
  }

  /** Advances slot and clock to wall time, if it is time. */
  tick(nowMs = Date.now()): void {
    const parent = this.slots.current;
    const second = this.clock.now;
    this.clock.advance(nowMs);
    const isNewSlot = this.slots.advance(nowMs);
    if (isNewSlot || this.clock.now !== second) this.showTime();
    if (isNewSlot) this.emit('slot', { slot: this.slots.current, parent });
  }

  /** Why the transaction is not executed; undefined if it is. The signatures of one that is executed are checked then. */
  rejection(transaction: Transaction, options = { checkSignatures: true }): TransactionError | undefined {
    const reason = this.staleness(transaction);
    return reason && options.checkSignatures && !this.machine.isFullySigned(transaction) ? 'SignatureFailure' : reason;
  }

  private staleness({ id, message }: Transaction): TransactionError | undefined {
    const lastValid = this.slots.lastValidSlot(message.blockhash);
    if (lastValid === undefined || lastValid < this.slots.current) return 'BlockhashNotFound';
    return this.history.find(id) && 'AlreadyProcessed';
  }

  /**
   * Executes the transaction once and records it. With `undoFailure` a failed transaction leaves no trace; without, it lands as
   * failed and pays its fee, unless the fee payer could not pay.
   */
  submit(transaction: Transaction, options: { undoFailure: boolean }): Outcome {
    const { keys } = transaction.message;
    const before = this.accountsOf(transaction.message);
    const { machine } = this;
    const outcome = options.undoFailure ? machine.executeOrUndo(transaction) : machine.execute(transaction);
    if (outcome.error && (options.undoFailure || !outcome.landed)) return outcome;
    const after = keys.map((key, index) => (isWritable(transaction.message, index) ? machine.account(key) : before[index]!));
    this.keep(transaction, { outcome, before, after });
    return outcome;
  }

  /** Executes the transaction without recording anything. */
  simulate(transaction: Transaction, options: { checkSignatures: boolean }): Simulation & { balances: Balances } {
    const before = this.accountsOf(transaction.message);
    const simulation = this.machine.simulate(transaction, options);
    const after = transaction.message.keys.map((key, index) => simulation.accounts.get(keyOf(key)) ?? before[index]!);
    const balances = this.balancesOf({ before, after });
    if (simulation.outcome.error && simulation.outcome.landed) balances.postBalances[0]! -= Number(simulation.outcome.fee);
    return { ...simulation, balances };
  }

  /** The current balances of a transaction's accounts. */
  currentBalances(message: Message): Balances {
    const before = this.accountsOf(message);
    return this.balancesOf({ before, after: before });
  }

  /** Sends lamports from the faucet and returns the signature. */
  airdrop(to: Buffer, lamports: bigint): string {
    const blockhash = this.slots.blockhashOf(this.slots.current);
    let transaction = this.parts.faucet.transfer({ to, lamports, blockhash });
    // After a quick restart the faucet may repeat a transaction that it signed before: then it signs the next one.
    while (this.history.find(transaction.id)) transaction = this.parts.faucet.transfer({ to, lamports, blockhash });
    this.submit(transaction, { undoFailure: false });
    return toBase58(transaction.signatures[0]!);
  }

  /** Moves the chain's clock forward permanently. */
  skipSeconds(seconds: number): void {
    this.clock.skip(seconds);
    this.parts.keepSkip({ kind: 'clock', amount: seconds, ...this.moment() });
    this.showTime();
  }

  /** Moves the chain's slots forward permanently; older blockhashes expire as they would in time. */
  skipSlots(count: number): void {
    const parent = this.slots.current;
    this.slots.skip(count);
    this.parts.keepSkip({ kind: 'slots', amount: count, ...this.moment() });
    this.showTime();
    this.emit('slot', { slot: this.slots.current, parent });
  }

  private keep(transaction: Transaction, run: { outcome: Outcome; before: States; after: States }): void {
    const { outcome, before, after } = run;
    const { message, id, bytes } = transaction;
    const addresses = message.keys.map(keyOf);
    const receipt = { ...receiptOf(outcome, message), ...this.balancesOf({ before, after }) };
    const { error, memo } = receipt;
    const head = { kind: 'transaction' as const, ...this.moment(), id, addresses, error, memo };
    const entry = this.parts.keep({ ...head, bytes, receipt }, head);
    if (this.listenerCount('landing') === 0) return;
    const changed = addresses.flatMap((address, index) =>
      isWritable(message, index) && (!error || index === 0) ? [[address, after[index]!] as const] : [],
    );
    this.emit('landing', { entry, receipt, addresses, accounts: new Map(changed) });
  }

  private accountsOf(message: Message): States {
    const programs = new Set(message.instructions.map(({ programIndex }) => programIndex));
    return message.keys.map((key, index) => (programs.has(index) ? this.programAt(key) : this.machine.account(key)));
  }

  /** A program's account without its code, which may be large. */
  private programAt(address: Buffer): AccountState {
    return { lamports: this.machine.balance(address), data: EMPTY, owner: EMPTY, executable: true };
  }

  private balancesOf(states: { before: States; after: States }): Balances {
    const { before, after } = states;
    const mints = new Map<string, AccountState | null>();
    const mintAt = (address: Buffer): AccountState | null => {
      const id = keyOf(address);
      const mint = mints.get(id) ?? this.machine.account(address);
      mints.set(id, mint);
      return mint;
    };
    const lamports = (state: AccountState | null) => Number(state?.lamports ?? 0n);
    return {
      preBalances: before.map(lamports),
      postBalances: after.map(lamports),
      preTokenBalances: tokenBalances(before, mintAt),
      postTokenBalances: tokenBalances(after, mintAt),
    };
  }

  private moment(): { slot: number; unixSeconds: number } {
    return { slot: this.slots.current, unixSeconds: this.clock.now };
  }

  private showTime(): void {
    this.machine.setClock(this.moment());
  }
}

type States = (AccountState | null)[];
const EMPTY = Buffer.alloc(0);

function receiptOf(outcome: Outcome, message: Message): Omit<Receipt, keyof Balances> {
  const ran = outcome.logs.length > 0 || outcome.error === null;
  return {
    error: outcome.error,
    fee: Number(outcome.fee),
    logs: ran ? outcome.logs : null,
    innerInstructions: ran ? outcome.innerInstructions : null,
    unitsConsumed: outcome.unitsConsumed,
    returnData: returnDataOf(outcome),
    memo: memoOf(message),
  };
}

/** Return data as RPC nodes encode it. */
export function returnDataOf({ returnData }: Outcome): Receipt['returnData'] {
  return returnData && { programId: toBase58(returnData.programId), data: [returnData.data.toString('base64'), 'base64'] };
}
