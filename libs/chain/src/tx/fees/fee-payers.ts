/** The keys that pay for transactions. Those for transfers take turns, as long as they hold enough and their transactions land. */
import { VersionedTransaction } from '@solana/web3.js';
import type { Rpc } from '../../rpc/client';
import type { Signer } from '../signing/signer';

/** How long balances are used before they are read again. */
const MAX_AGE_MS = 10_000;
/** How long a key pays for nothing once a transaction that it paid for has expired: others may be crowding it out. */
const REST_MS = 30_000;

export interface FeePayersOptions {
  /** Pays for rent, for what is neither a transfer nor urgent, and for transfers while no key of the pool can. */
  main: Signer;
  /** Pays for urgent transactions. May be the main one. */
  urgent: Signer;
  /** Pay for transfers. */
  pool: Signer[];
  /** A key of the pool that holds less, in lamports, pays for nothing. */
  leastLamports: bigint;
}

export interface KeyBalance {
  address: string;
  /** `all`: the main key. */
  pays: 'all' | 'pauses' | 'transfers';
  lamports: bigint;
}

export class FeePayers {
  /** The transactions that each address pays for; the main key's address first. */
  private readonly payers: Map<string, KeyBalance['pays']>;
  private readonly lamports = new Map<string, bigint>();
  /** Until when a key rests, by this process's clock. */
  private readonly resting = new Map<string, number>();
  private readAt = -Infinity;
  private turn = 0;

  constructor(
    private readonly rpc: Rpc,
    private readonly options: FeePayersOptions,
  ) {
    const { main, urgent, pool } = options;
    this.payers = new Map([
      [main.address, 'all'],
      ...pool.filter(({ address }) => address !== main.address).map(({ address }) => [address, 'transfers'] as const),
    ]);
    if (!this.payers.has(urgent.address)) this.payers.set(urgent.address, 'pauses');
  }

  get main(): Signer {
    return this.options.main;
  }

  get urgent(): Signer {
    return this.options.urgent;
  }

  get addresses(): string[] {
    return [...this.payers.keys()];
  }

  /** The key that pays for the next transfer. Balances that are old are read beside. */
  next(): Signer {
    const { main, pool, leastLamports } = this.options;
    if (pool.length === 0) return main;
    if (performance.now() - this.readAt > MAX_AGE_MS) void this.refresh();
    const funded = pool.filter(({ address }) => (this.lamports.get(address) ?? 0n) >= leastLamports);
    const now = performance.now();
    const rested = funded.filter(({ address }) => (this.resting.get(address) ?? 0) <= now);
    const able = rested.length > 0 ? rested : funded;
    return able[this.turn++ % able.length] ?? main;
  }

  /** A transaction has expired: the key that was to pay for it rests. */
  rest(transaction: Uint8Array): void {
    const payer = VersionedTransaction.deserialize(transaction).message.staticAccountKeys[0]?.toBase58();
    if (payer) this.resting.set(payer, performance.now() + REST_MS);
  }

  /** Reads what the keys hold. If no node answers, the balances stay. */
  async refresh(): Promise<void> {
    this.readAt = performance.now();
    const balances = await this.balances().catch(() => []);
    for (const { address, lamports } of balances) this.lamports.set(address, lamports);
  }

  /** The balance of each key now. @throws ChainUnavailableError */
  async balances(): Promise<KeyBalance[]> {
    const accounts = await this.rpc.accounts(this.addresses);
    return [...this.payers].map(([address, pays], index) => ({ address, pays, lamports: BigInt(accounts[index]?.lamports ?? 0) }));
  }
}
