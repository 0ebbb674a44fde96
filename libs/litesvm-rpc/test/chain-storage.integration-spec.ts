/** The chain's files, reopened after a crash at every point where one can occur. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fromBase58, keyOf } from '../src/wire/bytes';
import { Storage, type Program, type StorageLimits } from '../src/storage/storage';

const LIMITS: StorageLimits = { keptTransactions: 20, segmentTransactions: 7, snapshotRecords: 10 };
const LAMPORTS = 1_000_000n;
const ASSOCIATED_TOKEN_PROGRAM = fromBase58('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
const MEMO_PROGRAM = fromBase58('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

describe('the chain’s storage', () => {
  const root = mkdtempSync(join(tmpdir(), 'litesvm-rpc-storage-'));
  let copies = 0;
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const newDirectory = () => join(root, `${++copies}`);
  const open = (directory: string, programs: Program[] = []) => new Storage({ directory, programs, limits: LIMITS, onFailure: raise });
  /** The state that the next process finds if this one dies now. */
  const crash = (directory: string) => {
    const copy = newDirectory();
    cpSync(directory, copy, { recursive: true });
    return copy;
  };
  const addressOf = (n: number) => Buffer.alloc(32, n + 10);
  /** Sends lamports to `count` addresses, one after the other, as requests would. */
  const give = async (storage: Storage, count: number, from = 0) => {
    for (let n = from; n < from + count; n++) {
      storage.ledger.tick();
      storage.ledger.airdrop(addressOf(n), LAMPORTS);
      await setImmediate(); // Snapshots are taken between requests.
    }
  };
  const expectGiven = ({ ledger }: Storage, count: number) => {
    for (let n = 0; n < count; n++) {
      expect(ledger.machine.balance(addressOf(n))).toBe(LAMPORTS);
      expect(ledger.history.ofAddress(keyOf(addressOf(n)), { limit: 10 })).toHaveLength(1);
    }
    expect(ledger.machine.balance(addressOf(count))).toBe(0n);
    expect(ledger.history.size).toBe(count);
  };
  const logsIn = (directory: string) =>
    readdirSync(directory)
      .filter((name) => name.startsWith('log-'))
      .sort();

  it('storage restores everything after a crash at any moment, across snapshots and new segments', async () => {
    const directory = newDirectory();
    const storage = open(directory);
    for (let n = 0; n < 24; n++) {
      await give(storage, 1, n);
      expectGiven(open(crash(directory)), n + 1);
    }
    expect(logsIn(directory).length).toBeGreaterThan(2);
  });

  it('storage executes nothing twice when a snapshot is older or newer than the log’s segments', async () => {
    const directory = newDirectory();
    const storage = open(directory);
    const snapshots = [];
    for (let n = 0; n < 20; n += 4) {
      snapshots.push(readFileSync(join(directory, 'state.bin')));
      await give(storage, 4, n);
      storage.saveSnapshot();
    }
    for (const snapshot of snapshots) {
      const copy = crash(directory);
      writeFileSync(join(copy, 'state.bin'), snapshot);
      expectGiven(open(copy), 20);
    }
  });

  it('storage drops a truncated last record, which was never acknowledged, and continues', async () => {
    const directory = newDirectory();
    const storage = open(directory);
    await give(storage, 2);
    const log = logsIn(directory).at(-1)!;
    const whole = statSync(join(directory, log)).size;
    await give(storage, 1, 2);
    const size = statSync(join(directory, log)).size;
    for (const length of [whole + 1, whole + 7, whole + 8, whole + 100, size - 1]) {
      const copy = crash(directory);
      truncateSync(join(copy, log), length);
      const reopened = open(copy);
      expectGiven(reopened, 2);
      await give(reopened, 1, 2);
      expectGiven(open(crash(copy)), 3);
    }
  });

  it('storage does not open a log that is damaged in the middle', async () => {
    const directory = newDirectory();
    await give(open(directory), 3);
    const copy = crash(directory);
    const file = join(copy, logsIn(copy).at(-1)!);
    const bytes = readFileSync(file);
    bytes[60]! ^= 1;
    writeFileSync(file, bytes);
    expect(() => open(copy)).toThrow('is damaged at byte 0');
  });

  it('storage does not open a damaged snapshot', () => {
    const directory = newDirectory();
    open(directory);
    const file = join(directory, 'state.bin');
    const bytes = readFileSync(file);
    bytes[100_000]! ^= 1;
    writeFileSync(file, bytes);
    expect(() => open(directory)).toThrow('is damaged');
  });

  it('storage opens the old snapshot when writing a new one was interrupted', async () => {
    const directory = newDirectory();
    await give(open(directory), 3);
    const copy = crash(directory);
    writeFileSync(join(copy, 'state.bin.unfinished'), 'cut short');
    expectGiven(open(copy), 3);
  });

  it('storage continues when the log lost records that the snapshot has, as after a power failure', async () => {
    const directory = newDirectory();
    const storage = open(directory);
    await give(storage, 3);
    storage.close();
    truncateSync(join(directory, logsIn(directory).at(-1)!), 0);
    const reopened = open(directory);
    expect(reopened.ledger.machine.balance(addressOf(2))).toBe(LAMPORTS);
    await give(reopened, 1, 3);
    expect(open(crash(directory)).ledger.machine.balance(addressOf(3))).toBe(LAMPORTS);
  });

  it('storage keeps the newest transactions and drops old ones once they can no longer be resubmitted', async () => {
    const directory = newDirectory();
    const storage = open(directory);
    await give(storage, 60);
    expect(storage.ledger.history.size).toBe(60);
    storage.ledger.skipSlots(1_000);
    await give(storage, 60, 60);
    const { size } = storage.ledger.history;
    expect(size).toBeGreaterThanOrEqual(LIMITS.keptTransactions);
    expect(size).toBeLessThan(80);
    expect(storage.ledger.history.ofAddress(keyOf(addressOf(0)), { limit: 1 })).toEqual([]);
    const reopened = open(crash(directory));
    expect(reopened.ledger.history.size).toBe(size);
    expect(reopened.ledger.machine.balance(addressOf(0))).toBe(LAMPORTS);
  });

  it('storage keeps the clock, the slots and the genesis hash', async () => {
    const directory = newDirectory();
    const storage = open(directory);
    storage.ledger.skipSeconds(86_400);
    storage.ledger.skipSlots(500);
    await give(storage, 1);
    const { slots, clock, genesisHash } = storage.ledger;
    const reopened = open(crash(directory)).ledger;
    reopened.tick();
    expect(reopened.genesisHash).toBe(genesisHash);
    expect(reopened.slots.current).toBeGreaterThanOrEqual(slots.current);
    expect(reopened.slots.lastValidSlot(slots.blockhashOf(slots.current))).toBe(slots.current + 150);
    expect(reopened.clock.now - clock.now).toBeLessThan(10);
    expect(reopened.clock.now).toBeGreaterThanOrEqual(clock.now);
  });

  it('storage never moves time back, whatever the machine’s clock shows', async () => {
    const directory = newDirectory();
    const { ledger } = open(directory);
    ledger.tick(Date.now() + 3_600_000);
    ledger.airdrop(addressOf(0), LAMPORTS);
    const [slot, now] = [ledger.slots.current, ledger.clock.now];
    for (const { ledger: later } of [{ ledger }, open(crash(directory))]) {
      later.tick();
      expect(later.slots.current).toBe(slot);
      expect(later.clock.now).toBe(now);
    }
  });

  it('storage loads a program, keeps it, and loads it again when its file changed', () => {
    const directory = newDirectory();
    const { machine } = open(newDirectory()).ledger;
    const [first, second] = [ASSOCIATED_TOKEN_PROGRAM, MEMO_PROGRAM].map((id) => machine.account(id)!.data);
    const program = { programId: 'So1anaSandboxProgram11111111111111111111111', file: join(root, 'program.so') };
    const codeOf = (storage: Storage) => {
      const account = storage.ledger.machine.account(fromBase58(program.programId))!;
      return storage.ledger.machine.account(account.data.subarray(4, 36))!.data.subarray(45);
    };
    writeFileSync(program.file, first!);
    expect(codeOf(open(directory, [program])).equals(first!)).toBe(true);
    expect(codeOf(open(directory)).equals(first!)).toBe(true);
    writeFileSync(program.file, second!);
    expect(codeOf(open(directory, [program])).equals(second!)).toBe(true);
    expect(codeOf(open(crash(directory))).equals(second!)).toBe(true);
  });
});

function raise(error: Error): never {
  throw error;
}
