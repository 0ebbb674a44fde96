/** Subscriptions of the chain's clients: signatures, accounts, programs, logs, slots. */
import { bytesOf, keyOf, toBase58 } from '../wire/bytes';
import type { Entry } from '../storage/history';
import { toJson } from '../wire/json';
import type { Landing, Ledger } from '../ledger';
import type { AccountState } from '../machine';
import { accountFilter } from '../rpc/account-filters';
import { accountView, showAccount, type AccountView, type UiAccount } from '../rpc/account-view';
import { invalidParams, RpcError } from '../rpc/errors';
import { addressOf, type Params } from '../rpc/params';
import { FINALITY_SLOTS } from '../slots';

const KINDS = ['signature', 'account', 'logs', 'program', 'slot', 'root'] as const;
export type Kind = (typeof KINDS)[number];

/** The receiver of notifications, and their subscription id. */
interface Target {
  id: number;
  notify(text: string): void;
}

interface SignatureWait extends Target {
  kind: 'signature';
  signature: string;
  atFinality: boolean;
  onReceipt: boolean;
}

interface AccountWait extends Target {
  kind: 'account';
  address: string;
  view: AccountView;
}

interface ProgramWait extends Target {
  kind: 'program';
  program: Buffer;
  view: AccountView;
  matches(account: AccountState): boolean;
}

interface LogsWait extends Target {
  kind: 'logs';
  /** Undefined: all transactions. */
  mentioned: string | undefined;
}

interface SlotWait extends Target {
  kind: 'slot' | 'root';
}

/** One subscription of a client. */
export type Subscription = SignatureWait | AccountWait | ProgramWait | LogsWait | SlotWait;

/** All subscriptions of all clients. */
export class Subscriptions {
  private readonly signatures = new Map<string, Set<SignatureWait>>();
  private readonly accounts = new Map<string, Set<AccountWait>>();
  private readonly programs = new Set<ProgramWait>();
  private readonly logs = new Set<LogsWait>();
  private readonly slots = new Set<SlotWait>();
  /** Signature subscriptions at finalized whose transaction has landed, by the slot at which it is finalized. */
  private readonly finalities = new Map<number, Set<SignatureWait>>();

  constructor(private readonly ledger: Ledger) {
    ledger.on('landing', (landing) => this.tellLanding(landing));
    ledger.on('slot', (slot) => this.tellSlot(slot));
  }

  /** Reads a subscription request. Notifies of nothing before `begin`, because the client must know the id first. */
  create(kind: Kind, params: Params, target: Target): Subscription {
    const accountAt = (address: Buffer) => this.ledger.machine.account(address);
    switch (kind) {
      case 'signature': {
        const signature = keyOfSignature(params);
        const config = params.config(1);
        const atFinality = (config.string('commitment') ?? 'finalized') === 'finalized';
        return { ...target, kind, signature, atFinality, onReceipt: config.boolean('enableReceivedNotification') };
      }
      case 'account':
        return { ...target, kind, address: keyOf(params.address(0)), view: accountView(params.config(1), accountAt) };
      case 'program': {
        const config = params.config(1);
        const matches = accountFilter(config.list('filters') ?? []);
        return { ...target, kind, program: params.address(0), view: accountView(config, accountAt), matches };
      }
      case 'logs':
        return { ...target, kind, mentioned: mentionedIn(params) };
      default:
        return { ...target, kind };
    }
  }

  /** Starts notifying, at once if the condition is met already. */
  begin(subscription: Subscription): void {
    switch (subscription.kind) {
      case 'signature':
        return this.beginSignature(subscription);
      case 'account':
        return addTo(this.accounts, subscription.address, subscription);
      case 'program':
        return void this.programs.add(subscription);
      case 'logs':
        return void this.logs.add(subscription);
      default:
        return void this.slots.add(subscription);
    }
  }

  stop(subscription: Subscription): void {
    switch (subscription.kind) {
      case 'signature':
        removeFrom(this.signatures, subscription.signature, subscription);
        for (const waits of this.finalities.values()) waits.delete(subscription);
        return;
      case 'account':
        return removeFrom(this.accounts, subscription.address, subscription);
      case 'program':
        return void this.programs.delete(subscription);
      case 'logs':
        return void this.logs.delete(subscription);
      default:
        return void this.slots.delete(subscription);
    }
  }

  private beginSignature(wait: SignatureWait): void {
    const entry = this.ledger.history.find(wait.signature);
    if (entry) this.landed(wait, entry);
    else addTo(this.signatures, wait.signature, wait);
  }

  private landed(wait: SignatureWait, entry: Entry): void {
    if (wait.onReceipt) this.send(wait, 'receivedSignature');
    const finalAt = entry.slot + FINALITY_SLOTS;
    if (wait.atFinality && this.ledger.slots.current < finalAt) addTo(this.finalities, finalAt, wait);
    else this.send(wait, { err: entry.error });
  }

  private tellLanding({ entry, receipt, addresses, accounts }: Landing): void {
    const waits = this.signatures.get(entry.id);
    this.signatures.delete(entry.id);
    for (const wait of waits ?? []) this.landed(wait, entry);
    for (const wait of this.logs) {
      if (wait.mentioned !== undefined && !addresses.includes(wait.mentioned)) continue;
      this.send(wait, { signature: toBase58(bytesOf(entry.id)), err: entry.error, logs: receipt.logs ?? [] });
    }
    if (this.accounts.size > 0 || this.programs.size > 0) {
      for (const [address, account] of accounts) this.tellAccount(address, account);
    }
  }

  private tellAccount(address: string, found: AccountState | null): void {
    const account = found ?? CLOSED;
    for (const wait of this.accounts.get(address) ?? []) this.send(wait, shown(account, wait.view));
    for (const wait of this.programs) {
      if (!wait.program.equals(account.owner) || !wait.matches(account)) continue;
      this.send(wait, { pubkey: toBase58(bytesOf(address)), account: shown(account, wait.view) });
    }
  }

  private tellSlot({ slot, parent }: { slot: number; parent: number }): void {
    const root = this.ledger.slots.finalized;
    for (const wait of this.slots) this.sendBare(wait, wait.kind === 'slot' ? { slot, parent, root } : root);
    for (const [finalAt, waits] of this.finalities) {
      if (finalAt > slot) continue;
      this.finalities.delete(finalAt);
      for (const wait of waits) this.send(wait, { err: this.ledger.history.find(wait.signature)?.error ?? null });
    }
  }

  private send(wait: Subscription, value: unknown): void {
    this.sendBare(wait, { context: { slot: this.ledger.slots.current }, value });
  }

  private sendBare({ kind, id, notify }: Subscription, result: unknown): void {
    notify(`{"jsonrpc":"2.0","method":"${kind}Notification","params":{"result":${toJson(result)},"subscription":${id}}}`);
  }
}

/** The kind of a method such as `accountSubscribe` or `accountUnsubscribe`. */
export function kindOf(method: string, verb: 'Subscribe' | 'Unsubscribe'): Kind | undefined {
  return KINDS.find((kind) => method === `${kind}${verb}`);
}

const CLOSED: AccountState = { lamports: 0n, data: Buffer.alloc(0), owner: Buffer.alloc(32), executable: false };

/** A notification cannot fail, so an account too large for its encoding is sent without its data. */
function shown(account: AccountState, view: AccountView): UiAccount {
  try {
    return showAccount(account, view);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return {
      ...showAccount(account, { ...view, encoding: 'base64' }),
      data: 'error: data too large for bs58 encoding',
    };
  }
}

function keyOfSignature(params: Params): string {
  try {
    return params.signature(0);
  } catch {
    throw invalidParams('Invalid Request: Invalid signature provided');
  }
}

function mentionedIn(params: Params): string | undefined {
  const first = params.isString(0) ? params.string(0) : undefined;
  if (first === 'all' || first === 'allWithVotes') return undefined;
  const mentions = params.config(0).list('mentions') ?? [];
  if (mentions.length !== 1) throw invalidParams('Invalid Request: Only 1 address supported');
  return keyOf(addressOf(mentions[0]));
}

function addTo<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  const set = sets.get(key);
  if (set) set.add(value);
  else sets.set(key, new Set([value]));
}

function removeFrom<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}
