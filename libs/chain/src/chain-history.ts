import { PublicKey, type VersionedTransactionResponse } from '@solana/web3.js';
import { ChainUnavailableError } from './chain.errors';
import type { SettlementCommitment } from './solana/landings';
import { parseEvents, toBigint } from './solana/program';
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

/** What a transaction did to a token account, whatever instructions moved the money. */
export interface BalanceChange {
  /** Micro-USDC gained, or lost where negative. */
  microUsdc: bigint;
  /** The token account that gave most; null where the money was minted. */
  sender: string | null;
  /** What of it came from accounts of the program, as its events tell. */
  transfers: LandedTransfer[];
}

/** What happened on chain, read back from the transactions. */
export class ChainHistory {
  constructor(
    private readonly rpc: Rpc,
    private readonly programId: PublicKey,
    private readonly mint: PublicKey,
    private readonly commitment: SettlementCommitment,
  ) {}

  /** The landed transfer that spent `seq`, or null. Only an event of the program with this number counts. */
  async findTransfer(account: string, seq: bigint): Promise<LandedTransfer | null> {
    for await (const transfer of this.transfersOf(account)) if (transfer.seq === seq) return transfer;
    return null;
  }

  /** The transfers of an account, newest first, page by page of its history. */
  async *transfersOf(account: string): AsyncGenerator<LandedTransfer> {
    for await (const page of this.pages(account)) {
      for (const { signature, err } of page) {
        if (!err) yield* (await this.transfersIn(signature)).filter((transfer) => transfer.account === account);
      }
    }
  }

  /** The transfers that a transaction made, by the program's events. */
  async transfersIn(signature: string): Promise<LandedTransfer[]> {
    const transaction = await this.transaction(signature);
    return transaction ? this.transfers(signature, transaction) : [];
  }

  private transfers(signature: string, { slot, meta }: VersionedTransactionResponse): LandedTransfer[] {
    const events = parseEvents(this.programId, meta?.logMessages ?? []).filter(({ name }) => name === 'Transferred');
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
    const [sender] = [...changes].filter(([address, change]) => change < 0n && address !== tokenAccount).sort(([, one], [, other]) => (one < other ? -1 : 1));
    return {
      microUsdc: changes.get(tokenAccount) ?? 0n,
      sender: sender?.[0] ?? null,
      transfers: this.transfers(signature, transaction).filter(({ destination }) => destination === tokenAccount),
    };
  }

  /** How much of our mint each token account gained or lost. */
  private changes({ transaction, meta }: VersionedTransactionResponse): Map<string, bigint> {
    const keys = transaction.message.getAccountKeys({ accountKeysFromLookups: meta?.loadedAddresses });
    const changes = new Map<string, bigint>();
    const add = (sign: bigint) => (balance: { accountIndex: number; mint: string; uiTokenAmount: { amount: string } }) => {
      const address = keys.get(balance.accountIndex)?.toBase58();
      if (address === undefined || balance.mint !== this.mint.toBase58()) return;
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
      const page = await this.rpc.read('no history', (connection) => connection.getSignaturesForAddress(key, { before, until, limit: PAGE }, this.commitment));
      yield page;
      before = page.at(-1)?.signature;
      if (page.length < PAGE) return;
    }
  }

  private transaction(signature: string): Promise<VersionedTransactionResponse | null> {
    return this.rpc.read('no transaction', (connection) => connection.getTransaction(signature, { commitment: this.commitment, maxSupportedTransactionVersion: 0 }));
  }
}
