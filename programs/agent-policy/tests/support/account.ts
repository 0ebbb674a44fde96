/** Builders: an agent account on a test chain, its actions, and readers of its state. */
import { createHash } from 'node:crypto';
import { PublicKey } from '@solana/web3.js';
import type { PolicyChange } from '../../../../libs/chain/src/policy/policy.types';
import { byWords } from '../../../../libs/chain/src/policy/list-entries';
import { draftContentHash, listEntries } from '../../../../libs/chain/src/policy/policy-data';
import { coder } from '../../../../libs/chain/src/program/idl';
import { AccountInstructions, type Accounts, type Draft, type Keys, type Order, idOf } from './account-instructions';
import type { TestChain } from './chain';
import { plain, type Outcome } from './outcome';

/** Offsets of fields in an `AgentAccount`, discriminator included. */
export const OFFSET = { controller: 64, authority: 96, openSessions: 160, reserved: 168 } as const;
/** Bytes of an `AgentAccount`, a `Policy` without lists, a draft without entries, a token account, the tombstone of a closed account, and a list entry. */
export const SPACE = { account: 1_448, policy: 128, draft: 125, tokenAccount: 165, closed: 40, entry: 32 } as const;

/** An account that sends its instructions, and reads its state. */
export class TestAccount extends AccountInstructions {
  // Actions

  /** Sends a transfer, and records the nonce if it was used. */
  pay(order: Partial<Order> = {}, accounts: Accounts = {}): Outcome {
    const seq = order.seq ?? this.seq + 1n;
    const outcome = this.chain.send(this.transfer({ ...order, seq }, accounts));
    if (outcome.error === undefined && seq > this.seq) this.seq = seq;
    return outcome;
  }

  /** Sends a transfer and returns the error's name; `none` if it succeeded. */
  errorOf(order: Partial<Order> = {}, accounts: Accounts = {}): string {
    return this.pay(order, accounts).error ?? 'none';
  }

  change(change: PolicyChange): Outcome {
    return this.chain.run(this.setPolicy(change));
  }

  /** A draft for the next version with this many entries, not on chain yet. */
  aDraft(options: { counterparties?: number; categories?: number; targetVersion?: bigint; hash?: Buffer } = {}): {
    draft: Draft;
    change: PolicyChange;
  } {
    const change = {
      allowedCounterparties: someAddresses(options.counterparties ?? 2),
      categories: someCategories(options.categories ?? 1),
    };
    const lists = listEntries(change);
    const content = Buffer.concat([...lists.counterparties, ...lists.categories]);
    const hash = options.hash ?? draftContentHash(lists);
    const targetVersion = options.targetVersion ?? this.readPolicy().version + 1n;
    const address = this.addresses.draft(this.address, targetVersion, hash);
    return {
      draft: { address, targetVersion, hash, content, counterparties: lists.counterparties.length, categories: lists.categories.length },
      change,
    };
  }

  /** Creates and fills a draft, or its first `bytes` only. */
  stage(draft: Draft, bytes = draft.content.length): void {
    this.chain.run(this.createDraft(draft));
    for (let offset = 0; offset < bytes; offset += 768) {
      this.chain.run(this.writeDraft(draft, { offset, content: draft.content.subarray(offset, Math.min(offset + 768, bytes)) }));
    }
  }

  // State

  /** The account's fields, those of its tally among them. */
  read(): Record<string, unknown> {
    const { tally, ...fields } = plain(coder.accounts.decode('AgentAccount', this.chain.account(this.address).data)) as Record<
      string,
      object
    >;
    return { ...fields, ...tally };
  }

  balance(): bigint {
    return this.chain.balance(this.tokenAccount);
  }

  setReserved(amount: bigint): void {
    this.chain.patch(this.address, (data) => data.writeBigUInt64LE(amount, OFFSET.reserved));
  }

  setOpenSessions(count: number): void {
    this.chain.patch(this.address, (data) => data.writeUInt32LE(count, OFFSET.openSessions));
  }
}

export interface AccountOptions extends Partial<Keys> {
  balance?: bigint;
  policy?: PolicyChange;
  mint?: PublicKey;
}

let accounts = 0;

/** An account that is not on chain yet. */
export function aPlan(chain: TestChain, { id, creator, operator, authority, mint }: AccountOptions = {}): TestAccount {
  accounts += 1;
  const keys = {
    id: id ?? idOf(accounts),
    creator: creator ?? chain.feePayer,
    operator: operator ?? chain.aKey(),
    authority: authority ?? chain.aKey(),
  };
  return new TestAccount(chain, keys, mint);
}

/** An account with 1,000 micro-USDC under a policy without limits, by default. */
export function anAccount(chain: TestChain, options: AccountOptions = {}): TestAccount {
  const account = aPlan(chain, options);
  chain.run(account.create());
  chain.setTokens(account.tokenAccount, { amount: options.balance ?? 1_000n });
  if (options.policy) account.change(options.policy);
  return account;
}

/** In the order in which a policy keeps them. */
export function someAddresses(count: number): string[] {
  const keys = Array.from({ length: count }, (_, index) => createHash('sha256').update(`counterparty ${index}`).digest());
  return keys.sort(byWords).map((key) => new PublicKey(key).toBase58());
}

export function someCategories(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `category-${index}`);
}
