/** Opens a ledger from its directory, and persists what it accepts. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromBase58, toBase58 } from '../wire/bytes';
import { Clock } from '../clock';
import { Faucet, FAUCET_LAMPORTS } from '../faucet';
import { headIfTransaction, History, type HistoryLimits } from './history';
import { Ledger } from '../ledger';
import { Log, type Location, type Position } from './log';
import { Machine } from '../machine';
import { decodeSkip, decodeTransaction, encodeSkip, encodeTransaction, type TransactionRecord } from './record';
import { readSnapshot, writeSnapshot, type Snapshot } from './snapshot';
import { BLOCKHASH_LIFETIME_SLOTS, Slots } from '../slots';
import { parseTransaction } from '../wire/transaction';

export interface StorageLimits extends HistoryLimits {
  /** A start executes about this many transactions again, at most. */
  snapshotRecords: number;
}

const LIMITS: StorageLimits = { keptTransactions: 100_000, segmentTransactions: 10_000, snapshotRecords: 2_000 };
const UPGRADEABLE_LOADER_STATE_BYTES = 45;

export interface Program {
  programId: string;
  file: string;
}

/** A ledger and its directory. */
export class Storage {
  readonly ledger: Ledger;
  private readonly file: string;
  private readonly slots: Slots;
  private readonly clock: Clock;
  private readonly machine: Machine;
  private readonly history: History;
  private readonly limits: StorageLimits;
  private readonly log: Log;
  private lastSnapshot: Position;
  private recordsSinceSnapshot = 0;
  private failure: Error | undefined;

  /** Opens the chain in this directory, or creates a new one. */
  constructor(options: {
    directory: string;
    programs: Program[];
    onFailure: (error: Error) => void;
    limits?: StorageLimits;
  }) {
    this.limits = options.limits ?? LIMITS;
    this.history = new History(() => this.log, this.limits);
    mkdirSync(options.directory, { recursive: true });
    this.file = join(options.directory, 'state.bin');
    const snapshot = readSnapshot(this.file) ?? firstSnapshot();
    this.slots = new Slots(snapshot.slots);
    this.clock = new Clock(snapshot.clock);
    this.machine = Machine.fromBytes(Buffer.from(snapshot.machine));
    this.lastSnapshot = snapshot.position;
    this.log = new Log(options.directory, (payload, location) => this.restore(payload, location, snapshot.position));
    while (compare(this.log.position, snapshot.position) < 0) this.log.startSegment();
    this.ledger = this.openLedger(options.onFailure);
    this.loadPrograms(options.programs);
    this.saveSnapshot();
  }

  /** Writes the state, so that the next start has nothing to execute. */
  saveSnapshot(): void {
    const position = this.log.position;
    const { slots, clock, machine } = this;
    writeSnapshot(this.file, { slots: slots.state, clock: clock.state, position, machine: machine.toBytes() });
    this.lastSnapshot = position;
    this.recordsSinceSnapshot = 0;
  }

  close(): void {
    if (!this.failure) this.saveSnapshot();
    this.log.close();
  }

  private openLedger(onFailure: (error: Error) => void): Ledger {
    const { slots, clock, machine, history } = this;
    const keepOrFail = (payload: Buffer): Location => {
      try {
        return this.append(payload);
      } catch (error) {
        // The machine is ahead of the log now. The transaction was not acknowledged, and no other may be.
        this.failure = error instanceof Error ? error : new Error(String(error));
        onFailure(this.failure);
        throw error;
      }
    };
    return new Ledger({
      slots,
      clock,
      machine,
      history,
      faucet: new Faucet(slots.state.seed),
      genesisHash: toBase58(createHash('sha256').update(`genesis:${slots.state.seed}`).digest()),
      keep: (record, head) => history.add(head, keepOrFail(encodeTransaction(record))),
      keepSkip: (record) => void keepOrFail(encodeSkip(record)),
    });
  }

  private append(payload: Buffer): Location {
    if (this.history.isSegmentFull(this.log.position.segment)) this.turnPage();
    else if (this.recordsSinceSnapshot >= this.limits.snapshotRecords) setImmediate(() => this.snapshotIfDue());
    this.recordsSinceSnapshot += 1;
    return this.log.append(payload);
  }

  private snapshotIfDue(): void {
    if (!this.failure && this.recordsSinceSnapshot >= this.limits.snapshotRecords) this.saveSnapshot();
  }

  private turnPage(): void {
    this.log.startSegment();
    this.history.prune({
      beforeSegment: this.lastSnapshot.segment,
      beforeSlot: this.slots.current - 2 * BLOCKHASH_LIFETIME_SLOTS,
    });
  }

  /** Indexes a record, and executes it again if the snapshot does not include it. */
  private restore(payload: Buffer, location: Location, from: Position): void {
    const isNew = compare(location, from) >= 0;
    const head = headIfTransaction(payload);
    if (head && isNew) this.rerun(decodeTransaction(payload));
    if (head) this.history.add(head, location);
    else if (isNew) this.skipAgain(payload);
  }

  private rerun(record: TransactionRecord): void {
    this.slots.moveTo(record.slot);
    this.clock.moveTo(record.unixSeconds);
    this.machine.setClock(record);
    const outcome = this.machine.execute(parseTransaction(Buffer.from(record.bytes)));
    if (JSON.stringify(outcome.error) === JSON.stringify(record.receipt.error) && outcome.landed) return;
    throw new Error(
      `The chain's log cannot be run again: a transaction of slot ${record.slot} ended as ` +
        `${JSON.stringify(outcome.error)} and not as ${JSON.stringify(record.receipt.error)}.`,
    );
  }

  private skipAgain(payload: Buffer): void {
    const { kind, amount, slot, unixSeconds } = decodeSkip(payload);
    if (kind === 'slots') this.slots.state.skipped += amount;
    else this.clock.state.offsetSeconds += amount;
    this.slots.moveTo(slot);
    this.clock.moveTo(unixSeconds);
  }

  private loadPrograms(programs: Program[]): void {
    for (const { programId, file } of programs) {
      const address = fromBase58(programId);
      const elf = readFileSync(file);
      if (!this.codeAt(address)?.subarray(0, elf.length).equals(elf)) this.machine.addProgram(address, elf);
    }
  }

  private codeAt(address: Buffer): Buffer | undefined {
    const program = this.machine.account(address);
    if (!program?.executable || program.data.length < 36) return undefined;
    return this.machine.account(program.data.subarray(4, 36))?.data.subarray(UPGRADEABLE_LOADER_STATE_BYTES);
  }
}

function firstSnapshot(): Snapshot {
  const seed = randomBytes(32).toString('hex');
  const machine = Machine.create();
  machine.fund(new Faucet(seed).address, FAUCET_LAMPORTS);
  return {
    slots: { seed, firstSlot: 1, startedAtMs: Date.now(), skipped: 0, latest: 1 },
    clock: { offsetSeconds: 0, latest: Math.floor(Date.now() / 1_000) },
    position: { segment: 0, offset: 0 },
    machine: machine.toBytes(),
  };
}

function compare(a: Position, b: Position): number {
  return a.segment - b.segment || a.offset - b.offset;
}
