/** Events on chain, read from transactions. */
import { setTimeout } from 'node:timers/promises';
import { SolanaJSONRPCError } from '@solana/web3.js';
import { ChainUnavailableError, HistoryCutError } from '../chain.errors';
import type { ChargeMovement } from '../charges/charge.types';
import type { Addresses } from '../program/addresses';
import { calledEvents, findEvent, loggedEvents, type ProgramEvent } from '../program/events';
import { toBigint } from '../program/idl';
import type { EventFields } from '../program/idl-types';
import type { Rpc } from '../rpc/client';
import { memoOf } from '../tx/memo';
import type { SettlementCommitment } from '../tx/tx.types';
import type { BalanceChange, IncomingMovement, LandedEvent, LandedOrder } from './history.types';
import { type LandedTransaction, readTransaction } from './landed-transaction';
import { escrowMovement, landedOrders, namedSessions } from './landed-orders';
import { type TokenMovement, tokenMovements } from './token-movements';

/** Signatures per request, agave's limit, and how many pages back a search goes. */
const PAGE = 1_000;
const MAX_PAGES = 100;

/** A node that has seen a transaction land may not serve it yet: requests it this many times. */
const READ_ATTEMPTS = 20;
const READ_RETRY_MS = 150;

/** Agave's code for a `before` or `until` that it does not have: `JSON_RPC_SERVER_ERROR_FILTER_TRANSACTION_NOT_FOUND`. */
const UNKNOWN_TRANSACTION = -32020;

function isUnknownTransaction(error: unknown): boolean {
  const cause = error instanceof ChainUnavailableError ? error.cause : undefined;
  return cause instanceof SolanaJSONRPCError && cause.code === UNKNOWN_TRANSACTION;
}

export class ChainHistory {
  constructor(
    private readonly rpc: Rpc,
    private readonly addresses: Addresses,
    private readonly commitment: SettlementCommitment,
  ) {}

  /** The orders that used an account's nonces: newest first, page by page of its history. */
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

  /** The orders of a transaction that is known to have landed. @throws ChainUnavailableError if no node serves it yet. */
  async ordersLandedBy(signature: string): Promise<LandedOrder[]> {
    return this.orders(signature, await this.served(signature));
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
    return this.events(await this.served(signature));
  }

  /** A transaction that is known to have landed. @throws ChainUnavailableError if no node serves it yet. */
  private async served(signature: string): Promise<LandedTransaction> {
    for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
      const transaction = await this.transaction(signature);
      if (transaction) return transaction;
      await setTimeout(READ_RETRY_MS);
    }
    throw new ChainUnavailableError(`a node has seen ${signature} land and does not have it`);
  }

  /** The token program's movements in each successful transaction at an address, newest first. @throws ChainUnavailableError */
  async *movementsAt(address: string): AsyncGenerator<{ signature: string; movements: TokenMovement[] }> {
    for await (const { signature, transaction } of this.landed(address)) yield { signature, movements: tokenMovements(transaction) };
  }

  /** The newest successful transaction at an address, or null. */
  async newest(address: string): Promise<{ signature: string; slot: number } | null> {
    for await (const { signature, transaction } of this.landed(address)) return { signature, slot: transaction.slot };
    return null;
  }

  /**
   * The amount that a delegate moved out of a token account in a transaction, through any program; nothing if it failed.
   * @throws ChainUnavailableError
   */
  async movedBy(delegate: string, tokenAccount: string, signature: string): Promise<ChargeMovement[]> {
    const transaction = await this.listed(signature);
    if (transaction.error) return [];
    const movements = tokenMovements(transaction).filter(({ source, authority }) => source === tokenAccount && authority === delegate);
    const memo = memoOf(transaction);
    const delegateSignature = transaction.signatures.get(delegate) ?? '';
    const { slot } = transaction;
    return movements.map(({ microUsdc, destination }) => ({ signature, slot, microUsdc, destination, memo, delegateSignature }));
  }

  /** The amount that a transaction moved into a token account, through any program; nothing if it failed. @throws ChainUnavailableError */
  async movedInto(tokenAccount: string, signature: string): Promise<IncomingMovement[]> {
    const transaction = await this.listed(signature);
    if (transaction.error) return [];
    const escrows = namedSessions(transaction, this.addresses);
    return tokenMovements(transaction)
      .filter(({ destination }) => destination === tokenAccount)
      .map(({ microUsdc, source, authority }) => {
        const session = escrows.get(source) ?? null;
        return { microUsdc, source, session, authority, signature: transaction.signatures.get(authority) ?? null };
      });
  }

  /** The successful transactions that touched a token account after `cursor`, oldest first. @throws HistoryCutError, ChainUnavailableError */
  async signaturesAfter(tokenAccount: string, cursor: string | null): Promise<string[]> {
    const signatures: string[] = [];
    for await (const page of this.pages(tokenAccount, cursor ?? undefined)) {
      signatures.push(...page.filter(({ err }) => err === null).map(({ signature }) => signature));
    }
    return signatures.reverse();
  }

  /**
   * The successful transactions at an address after one that landed there, oldest first: complete, or all that the node still has if it does
   * not have that one any more, or it is not known (null). @throws ChainUnavailableError
   */
  async signaturesSince(address: string, landed: string | null): Promise<{ signatures: string[]; isComplete: boolean }> {
    try {
      return { signatures: await this.signaturesAfter(address, landed), isComplete: landed !== null };
    } catch (error) {
      if (!(error instanceof HistoryCutError)) throw error;
      return { signatures: await this.signaturesAfter(address, null), isComplete: false };
    }
  }

  /** The change of a token account by a transaction, by its balances before and after. @throws ChainUnavailableError */
  async changeIn(signature: string, tokenAccount: string): Promise<BalanceChange> {
    const transaction = await this.listed(signature);
    const { before = 0n, after = 0n } = transaction.balances.get(tokenAccount) ?? {};
    const others = [...transaction.balances]
      .filter(([address]) => address !== tokenAccount)
      .map(([address, span]): [string, bigint] => [address, span.after - span.before])
      .sort(([, one], [, other]) => (one < other ? -1 : 1));
    const sender = others.find(([, change]) => change < 0n);
    const receiver = others.findLast(([, change]) => change > 0n);
    const orders = this.orders(signature, transaction);
    const refunds = this.events(transaction).map((event) =>
      isRefund(event) && this.addresses.tokenAccount(event.data.account).toBase58() === tokenAccount ? refundOf(event) : 0n,
    );
    const movements = [...orders.map((order) => escrowMovement(order, tokenAccount, this.addresses)), ...refunds];
    return {
      microUsdc: after - before,
      before,
      after,
      sender: sender?.[0] ?? null,
      receiver: receiver?.[0] ?? null,
      transfers: orders.filter(({ destination }) => destination === tokenAccount),
      ours: movements.reduce((sum, movement) => sum + movement, 0n),
    };
  }

  /** The program's events of a transaction: those of its calls to itself, and those in the logs. */
  private events({ instructions, logs }: LandedTransaction): ProgramEvent[] {
    const { programId } = this.addresses;
    return [...calledEvents(programId, instructions), ...loggedEvents(programId, logs)];
  }

  private orders(signature: string, transaction: LandedTransaction): LandedOrder[] {
    return landedOrders(signature, transaction, this.addresses);
  }

  /** The successful transactions at an address, newest first. */
  private async *landed(address: string): AsyncGenerator<{ signature: string; transaction: LandedTransaction }> {
    for await (const page of this.pages(address)) {
      for (const { signature, err } of page) {
        const transaction = err ? null : await this.transaction(signature);
        if (transaction) yield { signature, transaction };
      }
    }
  }

  /** The successful transactions at an address that the node still has, newest first, page by page. @throws ChainUnavailableError */
  async *signatures(address: string): AsyncGenerator<string[]> {
    for await (const page of this.pages(address)) yield page.filter(({ err }) => err === null).map(({ signature }) => signature);
  }

  /** @throws HistoryCutError if the node does not have `until` */
  private async *pages(address: string, until?: string) {
    let before: string | undefined;
    for (let count = 0; count < MAX_PAGES; count++) {
      const params = [address, { before, until, limit: PAGE, commitment: this.commitment }];
      const page = await this.rpc.ask('no history', { method: 'getSignaturesForAddress', params }, listedIn).catch((error: unknown) => {
        throw isUnknownTransaction(error) ? new HistoryCutError(`no node has ${until} any more`, { cause: error }) : error;
      });
      yield page;
      before = page.at(-1)?.signature;
      if (page.length < PAGE) return;
    }
  }

  /** A transaction whose signature a node listed. @throws ChainUnavailableError if it does not have it. */
  private async listed(signature: string): Promise<LandedTransaction> {
    const transaction = await this.transaction(signature);
    if (!transaction) throw new ChainUnavailableError(`a node lists ${signature} and does not have it`);
    return transaction;
  }

  private transaction(signature: string): Promise<LandedTransaction | null> {
    return this.rpc.transaction(signature, this.commitment, (answer) => readTransaction(answer, this.addresses));
  }
}

/** A transaction at an address, as a node lists it. */
interface Listed {
  signature: string;
  err: unknown;
}

/** @throws TypeError if the answer is not a list of transactions */
function listedIn(answer: unknown): Listed[] {
  const isListed = (one: unknown): one is Listed =>
    typeof one === 'object' && one !== null && 'err' in one && 'signature' in one && typeof one.signature === 'string';
  if (!Array.isArray(answer) || !answer.every(isListed)) throw new TypeError('the answer is no list of transactions');
  return answer;
}

type Refund = Extract<ProgramEvent, { name: 'SessionClosed' | 'ChannelSwept' }>;

/** Whether an event says that money of a session or of a channel purse moved home. */
const isRefund = (event: ProgramEvent): event is Refund => event.name === 'SessionClosed' || event.name === 'ChannelSwept';

const refundOf = (event: Refund): bigint => toBigint(event.name === 'SessionClosed' ? event.data.refunded : event.data.amount);
