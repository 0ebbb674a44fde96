import { setTimeout } from 'node:timers/promises';
import { PublicKey, type VersionedTransactionResponse } from '@solana/web3.js';
import { ChainUnavailableError } from './chain.errors';
import type { ChargeMovement } from './chain.types';
import type { SettlementCommitment } from './solana/landings';
import { memoOf } from './solana/memo';
import { categoryName } from './solana/entries';
import { calledEvents, loggedEvents, type ProgramEvent } from './solana/events';
import { tokenMovements } from './solana/token-movements';
import { toBigint, type Addresses } from './solana/program';
import type { Rpc } from './solana/rpc';

/** Signatures asked for at once, agave's limit, and how many pages back a search goes. */
const PAGE = 1_000;
const MAX_PAGES = 100;

/** A transfer as its program's event tells it. */
export interface LandedTransfer {
  signature: string;
  slot: number;
  /** Address of the account that paid. */
  account: string;
  seq: bigint;
  transferId: Buffer;
  microUsdc: bigint;
  destination: string;
}

/** What a number was spent on, as the program's event tells it. */
export interface LandedOrder {
  kind: 'transfer' | 'session' | 'top_up' | 'charge';
  signature: string;
  slot: number;
  /** Address of the account that paid. */
  account: string;
  seq: bigint;
  /** 16 bytes: of the transfer, the session, the top-up or the charge. None where a session lies elsewhere than we would have opened it. */
  id: Buffer;
  microUsdc: bigint;
  /** Address of the session that was opened or topped up. */
  session: string | null;
  /** The token account that a transfer paid. */
  destination: string | null;
  /** The key that a charge's approval lets move its amount. */
  delegate: string | null;
  /** Of a transfer, a session or a charge, where one was given. */
  category: string | null;
}

/** What a transaction did to a token account, whatever instructions moved the money. */
export interface BalanceChange {
  /** Micro-USDC gained, or lost where negative. */
  microUsdc: bigint;
  /** The token account that gave most; null where the money was minted. */
  sender: string | null;
  /** The token account that gained most; null where the money was burnt. */
  receiver: string | null;
  /** What of it came from accounts of the program, as its events tell. */
  transfers: LandedTransfer[];
  /** What of it went to, or came back from, escrow for the account's own sessions, as the program's events tell. Money that strangers sent to an escrow is not. */
  ours: bigint;
}

/** Events of orders, by what they spend their number on: where the id and the amount are. */
const ORDERS: Record<string, { kind: LandedOrder['kind']; id: string; amount: string }> = {
  Transferred: { kind: 'transfer', id: 'transfer_id', amount: 'amount' },
  SessionOpened: { kind: 'session', id: 'session_id', amount: 'cap' },
  SessionToppedUp: { kind: 'top_up', id: 'top_up_id', amount: 'amount' },
  ChargeApproved: { kind: 'charge', id: 'charge_id', amount: 'amount' },
};

/** What events of sessions say moved between an account and its escrow: out where negative. */
const MOVES: Record<string, (data: ProgramEvent['data']) => bigint> = {
  SessionOpened: ({ cap }) => -toBigint(cap),
  SessionToppedUp: ({ amount }) => -toBigint(amount),
  SessionClosed: ({ refunded }) => toBigint(refunded),
};

/** A node that has seen a transaction land may not serve it yet: asked so often, so long apart. */
const ASK_TIMES = 20;
const ASK_AGAIN_MS = 150;

/** An event, and the transaction that told it. */
export interface LandedEvent extends ProgramEvent {
  signature: string;
  slot: number;
}

/** What happened on chain, read back from the transactions. */
export class ChainHistory {
  constructor(
    private readonly rpc: Rpc,
    private readonly addresses: Addresses,
    private readonly commitment: SettlementCommitment,
  ) {}

  /** What an account's numbers were spent on, by the program's events: newest first, page by page of its history. */
  async *ordersOf(account: string): AsyncGenerator<LandedOrder> {
    for await (const { signature, transaction } of this.landed(account))
      yield* this.orders(signature, transaction).filter((order) => order.account === account);
  }

  /** What the number `seq` was spent on: a transfer, a session's opening, a top-up or a charge's approval; or null. */
  async findOrder(account: string, seq: bigint): Promise<LandedOrder | null> {
    for await (const order of this.ordersOf(account)) if (order.seq === seq) return order;
    return null;
  }

  /** What a transaction spent numbers on, of whatever accounts. */
  async ordersIn(signature: string): Promise<LandedOrder[]> {
    const transaction = await this.transaction(signature);
    return transaction ? this.orders(signature, transaction) : [];
  }

  /** The latest such event of the program at an address, or null. */
  async findEvent(address: string, isIt: (event: ProgramEvent) => boolean): Promise<LandedEvent | null> {
    for await (const { signature, transaction } of this.landed(address)) {
      const event = this.events(transaction).find(isIt);
      if (event) return { signature, slot: transaction.slot, ...event };
    }
    return null;
  }

  /** The program's events of a transaction that is known to have landed. @throws ChainUnavailableError when no node serves it yet. */
  async eventsOf(signature: string): Promise<ProgramEvent[]> {
    for (let times = 0; times < ASK_TIMES; times++) {
      const transaction = await this.transaction(signature);
      if (transaction) return this.events(transaction);
      await setTimeout(ASK_AGAIN_MS);
    }
    throw new ChainUnavailableError(`a node has seen ${signature} land and does not have it`);
  }

  /** The successful transactions at an address, newest first. */
  private async *landed(address: string): AsyncGenerator<{ signature: string; transaction: VersionedTransactionResponse }> {
    for await (const page of this.pages(address)) {
      for (const { signature, err } of page) {
        const transaction = err ? null : await this.transaction(signature);
        if (transaction) yield { signature, transaction };
      }
    }
  }

  /** The newest successful transaction at an address, or null. */
  async newest(address: string): Promise<{ signature: string; slot: number } | null> {
    for await (const { signature, transaction } of this.landed(address)) return { signature, slot: transaction.slot };
    return null;
  }

  /** What a delegate moved out of a token account in a transaction, whatever program it was called by. @throws ChainUnavailableError */
  async movedBy(delegate: string, tokenAccount: string, signature: string): Promise<ChargeMovement[]> {
    const transaction = await this.transaction(signature);
    if (!transaction) throw new ChainUnavailableError(`a node lists ${signature} and does not have it`);
    const movements = tokenMovements(transaction).filter(({ source, authority }) => source === tokenAccount && authority === delegate);
    const memo = memoOf(transaction);
    const { staticAccountKeys } = transaction.transaction.message;
    // Signers come first, in the order of their signatures; who moves tokens is always one of them.
    const delegateSignature = transaction.transaction.signatures[staticAccountKeys.findIndex((key) => key.toBase58() === delegate)] ?? '';
    return movements.map(({ microUsdc, destination }) => ({ signature, microUsdc, destination, memo, delegateSignature }));
  }

  /** The program's events of a transaction: those that it called itself for, and those in the logs. */
  private events(transaction: VersionedTransactionResponse): ProgramEvent[] {
    const { programId } = this.addresses;
    const { meta } = transaction;
    const keys = transaction.transaction.message.getAccountKeys({ accountKeysFromLookups: meta?.loadedAddresses });
    const inner = (meta?.innerInstructions ?? []).flatMap(({ instructions }) => instructions);
    return [...calledEvents(programId, (index) => keys.get(index), inner), ...loggedEvents(programId, meta?.logMessages ?? [])];
  }

  private orders(signature: string, transaction: VersionedTransactionResponse): LandedOrder[] {
    const { slot } = transaction;
    return this.events(transaction).flatMap(({ name, data }) => {
      const order = ORDERS[name];
      if (!order) return [];
      const addressOf = (address: unknown) => (address === undefined ? null : String(address));
      const { account, seq, category = [] } = data;
      const isForeign = name === 'SessionOpened' && !this.isOurs(data);
      return [
        {
          kind: order.kind,
          signature,
          slot,
          account: String(account),
          seq: toBigint(seq),
          id: Buffer.from(isForeign ? [] : (data[order.id] as number[])),
          microUsdc: toBigint(data[order.amount]),
          session: addressOf(data.session),
          destination: addressOf(data.destination),
          delegate: addressOf(data.delegate),
          category: categoryName(Uint8Array.from(category as number[])) || null,
        },
      ];
    });
  }

  /** A number may open a session at the address of any bump, and ours is the one that a search finds first: another's opening is none of ours, whatever id it names. */
  private isOurs({ account, seq, session }: ProgramEvent['data']): boolean {
    return this.addresses.session(new PublicKey(String(account)), toBigint(seq)).address.toBase58() === String(session);
  }

  private transfers(signature: string, transaction: VersionedTransactionResponse): LandedTransfer[] {
    const { slot } = transaction;
    const events = this.events(transaction).filter(({ name }) => name === 'Transferred');
    return events.map(({ data }) => ({
      signature,
      slot,
      account: String(data.account),
      seq: toBigint(data.seq),
      transferId: Buffer.from(data.transfer_id as number[]),
      microUsdc: toBigint(data.amount),
      destination: String(data.destination),
    }));
  }

  /** The successful transactions that touched a token account after `cursor`, oldest first. */
  async signaturesAfter(tokenAccount: string, cursor: string | null): Promise<string[]> {
    const signatures: string[] = [];
    for await (const page of this.pages(tokenAccount, cursor ?? undefined)) {
      signatures.push(...page.filter(({ err }) => err === null).map(({ signature }) => signature));
    }
    return signatures.reverse();
  }

  /** What a transaction did to a token account, by its balances before and after. @throws ChainUnavailableError */
  async changeIn(signature: string, tokenAccount: string): Promise<BalanceChange> {
    const transaction = await this.transaction(signature);
    if (!transaction) throw new ChainUnavailableError(`a node lists ${signature} and does not have it`);
    const changes = this.changes(transaction);
    const others = [...changes].filter(([address]) => address !== tokenAccount).sort(([, one], [, other]) => (one < other ? -1 : 1));
    const sender = others.find(([, change]) => change < 0n);
    const receiver = others.findLast(([, change]) => change > 0n);
    return {
      microUsdc: changes.get(tokenAccount) ?? 0n,
      sender: sender?.[0] ?? null,
      receiver: receiver?.[0] ?? null,
      transfers: this.transfers(signature, transaction).filter(({ destination }) => destination === tokenAccount),
      ours: this.moved(transaction, tokenAccount),
    };
  }

  /** What the account's own sessions put into escrow, or took back. */
  private moved(transaction: VersionedTransactionResponse, tokenAccount: string): bigint {
    const owned = (data: ProgramEvent['data']) =>
      this.addresses.tokenAccount(new PublicKey(String(data.account))).toBase58() === tokenAccount;
    return this.events(transaction).reduce((sum, { name, data }) => (MOVES[name] && owned(data) ? sum + MOVES[name](data) : sum), 0n);
  }

  /** How much of our mint each token account gained or lost. */
  private changes({ transaction, meta }: VersionedTransactionResponse): Map<string, bigint> {
    const keys = transaction.message.getAccountKeys({ accountKeysFromLookups: meta?.loadedAddresses });
    const changes = new Map<string, bigint>();
    const add = (sign: bigint) => (balance: { accountIndex: number; mint: string; uiTokenAmount: { amount: string } }) => {
      const address = keys.get(balance.accountIndex)?.toBase58();
      if (address === undefined || balance.mint !== this.addresses.mint.toBase58()) return;
      changes.set(address, (changes.get(address) ?? 0n) + sign * BigInt(balance.uiTokenAmount.amount));
    };
    meta?.preTokenBalances?.forEach(add(-1n));
    meta?.postTokenBalances?.forEach(add(1n));
    return changes;
  }

  private async *pages(address: string, until?: string) {
    const key = new PublicKey(address);
    let before: string | undefined;
    for (let count = 0; count < MAX_PAGES; count++) {
      const page = await this.rpc.read('no history', (connection) =>
        connection.getSignaturesForAddress(key, { before, until, limit: PAGE }, this.commitment),
      );
      yield page;
      before = page.at(-1)?.signature;
      if (page.length < PAGE) return;
    }
  }

  private transaction(signature: string): Promise<VersionedTransactionResponse | null> {
    return this.rpc.read('no transaction', (connection) =>
      connection.getTransaction(signature, { commitment: this.commitment, maxSupportedTransactionVersion: 0 }),
    );
  }
}
