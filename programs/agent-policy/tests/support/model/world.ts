/** Accounts and fleets as exact lists, beside those on the chain. */
import { AccountState } from '@solana/spl-token';
import type { PublicKey } from '@solana/web3.js';
import { aPlan, anAccount, type TestAccount } from '../account';
import { START, type Key, type TestChain } from '../chain';
import { aFleet, type TestFleet } from '../fleet';
import type { TestChannelPurse } from '../channel';
import type { Random } from '../random';
import { TestSession } from '../session';
import { Book, type Span } from './book';
import { NO_POLICY, type Judged, type ModelLimits, type ModelPolicy } from './rules';

/** Offsets in an `AgentAccount` and in a `Fleet`, discriminator included; both hold their tally at the same place. */
const AT = {
  members: 12,
  channelPurses: 12,
  openSessions: 160,
  owedSessions: 164,
  reserved: 168,
  lifetime: 176,
  day: 968,
  month: 1_232,
} as const;
export const WINDOW = 1_024n;
/** Highest number of accounts, fleets and open sessions and channel purses of an account at a time. */
const MOST = { accounts: 6, fleets: 3, sessions: 3, purses: 3 } as const;

export interface ModelFleet {
  on: TestFleet;
  book: Book;
  policy: ModelPolicy;
  limits: ModelLimits;
}

export interface ModelCharge {
  seq: bigint;
  amount: bigint;
  used: bigint;
  deadline: number;
  delegate: PublicKey;
}

export interface ModelSession {
  on: TestSession;
  payee: Payee;
  cap: bigint;
  settled: bigint;
  proven: bigint;
  status: 'open' | 'closing' | 'owed';
  grace: number;
  expiresAt: number;
  /** Since when it is closing, or owed. */
  since: number;
}

export interface ModelChannelPurse {
  on: TestChannelPurse;
  amount: bigint;
  /** In the key's token account. */
  held: bigint;
  swept: bigint;
  deadline: number;
  isFinished: boolean;
  isFrozen: boolean;
}

/** The owner that sessions pay. */
export interface Payee {
  key: Key;
  tokenAccount: PublicKey;
  paid: bigint;
  isFrozen: boolean;
}

export interface ModelAccount {
  on: TestAccount;
  book: Book;
  policy: ModelPolicy | null;
  fleet: ModelFleet | null;
  balance: bigint;
  isFrozen: boolean;
  highest: bigint;
  used: Set<bigint>;
  charge: ModelCharge | null;
  /** The delegate of the open charge, or of the last one. */
  lastDelegate: PublicKey | null;
  sessions: ModelSession[];
  purses: ModelChannelPurse[];
}

export class World {
  readonly operators: [Key, Key];
  accounts: ModelAccount[] = [];
  fleets: ModelFleet[] = [];
  readonly payees: Payee[];
  readonly delegates: [Key, ...Key[]];
  private clock = START;

  constructor(
    readonly chain: TestChain,
    readonly random: Random,
  ) {
    this.operators = [chain.aKey(), chain.aKey()];
    this.delegates = [chain.aKey(0n), chain.aKey(0n), chain.aKey(0n), chain.aKey(0n)];
    const first = anAccount(chain, { balance: 0n });
    this.payees = [0, 1].map(() => {
      const key = chain.aKey();
      return { key, tokenAccount: new TestSession(first, 1n, key).payeeTokenAccount, paid: 0n, isFrozen: false };
    });
    for (let count = 0; count < MOST.fleets; count++) this.addFleet(aFleet(chain, { operator: this.anOperator() }), {});
    for (let count = 0; count < MOST.accounts; count++) {
      const account = anAccount(chain, { operator: this.anOperator(), balance: 5_000n });
      this.addAccount(account, null).balance = 5_000n;
    }
  }

  get now(): number {
    return this.chain.now;
  }

  get hasRoom() {
    return { account: this.accounts.length < MOST.accounts, fleet: this.fleets.length < MOST.fleets };
  }

  hasRoomForPurse = ({ purses }: ModelAccount): boolean => purses.length < MOST.purses;
  hasRoomForSession = ({ sessions }: ModelAccount): boolean => sessions.length < MOST.sessions;

  /** Most often the first, so that accounts of one operator meet in its fleets. */
  anOperator(): Key {
    return this.random.chance(0.75) ? this.operators[0] : this.operators[1];
  }

  anAccount(): ModelAccount {
    return this.random.oneOf(this.accounts as [ModelAccount]);
  }

  /** Most often one of these, if there are any. */
  anAccountWith(is: (account: ModelAccount) => boolean): ModelAccount {
    const some = this.accounts.filter(is);
    return some.length > 0 && this.random.chance(0.9) ? this.random.oneOf(some as [ModelAccount]) : this.anAccount();
  }

  aFleet(): ModelFleet {
    return this.random.oneOf(this.fleets as [ModelFleet]);
  }

  /** An account that is not on chain yet. */
  aPlan(operator: Key): TestAccount {
    return aPlan(this.chain, { operator });
  }

  addAccount(on: TestAccount, fleet: ModelFleet | null): ModelAccount {
    const policy = fleet ? null : { ...NO_POLICY, version: 1n };
    const empty = { balance: 0n, isFrozen: false, highest: 0n, used: new Set<bigint>(), charge: null, lastDelegate: null };
    const none = { sessions: [], purses: [] };
    const account = { on, book: new Book(this.now), policy, fleet, ...empty, ...none };
    this.accounts.push(account);
    this.sync(account);
    return account;
  }

  addFleet(on: TestFleet, { daily = null, monthly = null, lifetime = null }: Partial<ModelLimits>): void {
    this.fleets.push({ on, book: new Book(this.now), policy: { ...NO_POLICY, version: 1n }, limits: { daily, monthly, lifetime } });
  }

  /** Tells the builder of instructions what the account is now. */
  sync({ on, fleet, policy }: ModelAccount): void {
    on.fleet = fleet?.on;
    on.hasOwnPolicy = policy !== null;
    if (fleet) on.operator = fleet.on.operator;
  }

  membersOf(fleet: ModelFleet): ModelAccount[] {
    return this.accounts.filter((account) => account.fleet === fleet);
  }

  judged({ book, policy, fleet, balance, charge }: ModelAccount): Judged {
    const delegated = charge ? charge.amount - charge.used : 0n;
    return { book, policy, fleet, spendable: balance > delegated ? balance - delegated : 0n };
  }

  /** The clock advances, sometimes to the border of a bucket or by a night, and sometimes steps back a little. */
  passTime(): void {
    const { random } = this;
    const border = (width: number) => (Math.floor(this.clock / width) + 1) * width - random.below(2);
    if (random.chance(0.0005)) this.clock += 400 * 86_400;
    else if (random.chance(0.01)) this.clock += random.below(4 * 86_400);
    else if (random.chance(0.05)) this.clock = border(random.chance(0.1) ? 86_400 : 900);
    else this.clock += random.below(400);
    this.chain.setTime(random.chance(0.05) ? this.clock - random.below(120) : this.clock);
  }

  freeze(tokenAccount: PublicKey, isFrozen: boolean): void {
    this.chain.setTokens(tokenAccount, { state: isFrozen ? AccountState.Frozen : AccountState.Initialized });
  }

  deposit(account: ModelAccount, amount: bigint): void {
    account.balance += amount;
    this.chain.setTokens(account.on.tokenAccount, { amount: account.balance });
  }

  /** A channel returns money to the key of a purse. */
  payBack(purse: ModelChannelPurse, amount: bigint): void {
    purse.held += amount;
    this.chain.setTokens(purse.on.tokenAccount, { amount: purse.held });
  }

  /** Saves what a transfer changes, and returns how to restore it. */
  save(): () => void {
    const saved = this.accounts.map(({ book, balance, highest, used }) => ({ book: book.copy(), balance, highest, used: new Set(used) }));
    const books = this.fleets.map(({ book }) => book.copy());
    return () => {
      for (const [index, account] of this.accounts.entries()) Object.assign(account, saved[index]);
      for (const [index, fleet] of this.fleets.entries()) Object.assign(fleet, { book: books[index] });
    };
  }

  /** The difference of chain and model; undefined if they agree. */
  difference(): string | undefined {
    for (const account of this.accounts) {
      const { data } = this.chain.account(account.on.address);
      const open = account.sessions.filter(({ status }) => status !== 'owed').length;
      const found =
        tallyDifference(data, account.book) ??
        differs('open sessions', data.readUInt32LE(AT.openSessions), open) ??
        differs('owed sessions', data.readUInt32LE(AT.owedSessions), account.sessions.length - open) ??
        differs('channel purses', data.readUInt32LE(AT.channelPurses), account.purses.length) ??
        account.purses.map(({ on, held }) => differs('held by a purse', on.balance(), held)).find(Boolean) ??
        differs('balance', this.chain.balance(account.on.tokenAccount), account.balance);
      if (found) return `account ${this.accounts.indexOf(account)}: ${found}`;
    }
    for (const fleet of this.fleets) {
      const { data } = this.chain.account(fleet.on.address);
      const members = differs('members', data.readUInt32LE(AT.members), this.membersOf(fleet).length);
      const found = tallyDifference(data, fleet.book) ?? members;
      if (found) return `fleet ${this.fleets.indexOf(fleet)}: ${found}`;
    }
    for (const { tokenAccount, paid } of this.payees) {
      const found = differs('paid by sessions', this.chain.balance(tokenAccount), paid);
      if (found) return found;
    }
    return undefined;
  }
}

function tallyDifference(data: Buffer, book: Book): string | undefined {
  const sum = (span: Span) => {
    const [least, most] = book.leftIn(span);
    const counted = data.readBigUInt64LE(AT[span]);
    return counted < least || counted > most ? `${counted} in a ${span}, not ${least} to ${most}` : undefined;
  };
  return (
    differs('reserved', data.readBigUInt64LE(AT.reserved), book.reserved) ??
    differs('ever left', data.readBigUInt64LE(AT.lifetime), book.lifetime) ??
    sum('day') ??
    sum('month')
  );
}

const differs = <T extends bigint | number>(what: string, onChain: T, expected: T): string | undefined =>
  onChain === expected ? undefined : `${what}: ${onChain} on chain, ${expected} expected`;
