/** What happened on chain, read from transactions. */
import { setTimeout } from 'node:timers/promises';
import { PublicKey, type VersionedTransactionResponse } from '@solana/web3.js';
import { ChainUnavailableError } from '../chain.errors';
import type { ChargeMovement } from '../charges/charge.types';
import type { Addresses } from '../program/addresses';
import { calledEvents, findEvent, loggedEvents, type ProgramEvent } from '../program/events';
import type { EventFields } from '../program/idl-types';
import type { Rpc } from '../rpc/client';
import { memoOf } from '../tx/memo';
import type { SettlementCommitment } from '../tx/tx.types';
import type { BalanceChange, LandedEvent, LandedOrder } from './history.types';
import { approvedPurses } from './approved-purses';
import { escrowMovement, landedOrder, landedTransfer } from './landed-orders';
import { tokenMovements } from './token-movements';

/** Signatures per request, agave's limit, and how many pages back a search goes. */
const PAGE = 1_000;
const MAX_PAGES = 100;

/** A node that has seen a transaction land may not serve it yet: requests it this many times. */
const READ_ATTEMPTS = 20;
const READ_RETRY_MS = 150;

export class ChainHistory {
  constructor(
    private readonly rpc: Rpc,
    private readonly addresses: Addresses,
    private readonly commitment: SettlementCommitment,
  ) {}

  /** The orders that used an account's nonces, by the program's events: newest first, page by page of its history. */
  async *ordersOf(account: string): AsyncGenerator<LandedOrder> {
    for await (const { signature, transaction } of this.landed(account))
      yield* this.orders(signature, transaction).filter((order) => order.account === account);
  }

  /** The order that used the nonce `seq`: a transfer, a session opening, a top-up or a charge; null if none is found. */
  async findOrder(account: string, seq: bigint): Promise<LandedOrder | null> {
    for await (const order of this.ordersOf(account)) if (order.seq === seq) return order;
    return null;
  }

  /** The orders of a transaction, of any account. */
  async ordersIn(signature: string): Promise<LandedOrder[]> {
    const transaction = await this.transaction(signature);
    return transaction ? this.orders(signature, transaction) : [];
  }

  /** The latest event of this name at an address that matches, or null. */
  async findEvent<Name extends keyof EventFields>(
    address: string,
    name: Name,
    matches: (data: EventFields[Name]) => boolean,
  ): Promise<LandedEvent<Name> | null> {
    for await (const { signature, transaction } of this.landed(address)) {
      const data = findEvent(this.events(transaction), name, matches);
      if (data) return { signature, slot: transaction.slot, data };
    }
    return null;
  }

  /** The program's events of a transaction that is known to have landed. @throws ChainUnavailableError if no node serves it yet. */
  async eventsOf(signature: string): Promise<ProgramEvent[]> {
    for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
      const transaction = await this.transaction(signature);
      if (transaction) return this.events(transaction);
      await setTimeout(READ_RETRY_MS);
    }
    throw new ChainUnavailableError(`a node has seen ${signature} land and does not have it`);
  }

  /** The newest successful transaction at an address, or null. */
  async newest(address: string): Promise<{ signature: string; slot: number } | null> {
    for await (const { signature, transaction } of this.landed(address)) return { signature, slot: transaction.slot };
    return null;
  }

  /** What a delegate moved out of a token account in a transaction, through any program; nothing if it failed. @throws ChainUnavailableError */
  async movedBy(delegate: string, tokenAccount: string, signature: string): Promise<ChargeMovement[]> {
    const transaction = await this.listed(signature);
    if (transaction.meta?.err) return [];
    const movements = tokenMovements(transaction).filter(({ source, authority }) => source === tokenAccount && authority === delegate);
    const memo = memoOf(transaction);
    const { staticAccountKeys } = transaction.transaction.message;
    // Signers come first, in the order of their signatures, and the authority of a movement is one of them.
    const delegateSignature = transaction.transaction.signatures[staticAccountKeys.findIndex((key) => key.toBase58() === delegate)] ?? '';
    return movements.map(({ microUsdc, destination }) => ({ signature, microUsdc, destination, memo, delegateSignature }));
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
    const transaction = await this.listed(signature);
    const changes = this.changes(transaction);
    const others = [...changes].filter(([address]) => address !== tokenAccount).sort(([, one], [, other]) => (one < other ? -1 : 1));
    const sender = others.find(([, change]) => change < 0n);
    const receiver = others.findLast(([, change]) => change > 0n);
    const events = this.events(transaction);
    const transfers = events.map((event) => landedTransfer(event, { signature, slot: transaction.slot }));
    return {
      microUsdc: changes.get(tokenAccount) ?? 0n,
      sender: sender?.[0] ?? null,
      receiver: receiver?.[0] ?? null,
      transfers: transfers.filter((transfer) => transfer !== null).filter(({ destination }) => destination === tokenAccount),
      ours: events.reduce((sum, event) => sum + escrowMovement(event, tokenAccount, this.addresses), 0n),
    };
  }

  /** The program's events of a transaction: those of its calls to itself, and those in the logs. */
  private events(transaction: VersionedTransactionResponse): ProgramEvent[] {
    const { programId } = this.addresses;
    const { meta } = transaction;
    const keys = transaction.transaction.message.getAccountKeys({ accountKeysFromLookups: meta?.loadedAddresses });
    const inner = (meta?.innerInstructions ?? []).flatMap(({ instructions }) => instructions);
    return [...calledEvents(programId, (index) => keys.get(index), inner), ...loggedEvents(programId, meta?.logMessages ?? [])];
  }

  private orders(signature: string, transaction: VersionedTransactionResponse): LandedOrder[] {
    const { slot } = transaction;
    const orders = this.events(transaction)
      .map((event) => landedOrder(event, { signature, slot }, this.addresses))
      .filter((order) => order !== null);
    if (!orders.some(({ kind }) => kind === 'charge')) return orders;
    const purses = approvedPurses(transaction, this.addresses.programId);
    return orders.map((order) => (order.kind === 'charge' && purses.has(order.id.toString('hex')) ? { ...order, kind: 'purse' } : order));
  }

  /** Micro-USDC that each token account of the service's mint gained; negative where lost. */
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

  /** The successful transactions at an address, newest first. */
  private async *landed(address: string): AsyncGenerator<{ signature: string; transaction: VersionedTransactionResponse }> {
    for await (const page of this.pages(address)) {
      for (const { signature, err } of page) {
        const transaction = err ? null : await this.transaction(signature);
        if (transaction) yield { signature, transaction };
      }
    }
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

  /** A transaction whose signature a node listed. @throws ChainUnavailableError if it does not have it. */
  private async listed(signature: string): Promise<VersionedTransactionResponse> {
    const transaction = await this.transaction(signature);
    if (!transaction) throw new ChainUnavailableError(`a node lists ${signature} and does not have it`);
    return transaction;
  }

  private transaction(signature: string): Promise<VersionedTransactionResponse | null> {
    return this.rpc.read('no transaction', (connection) =>
      connection.getTransaction(signature, { commitment: this.commitment, maxSupportedTransactionVersion: 0 }),
    );
  }
}
