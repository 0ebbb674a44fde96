/** Builders: an agent account on a test chain, its instructions, and readers of its state. */
import { createHash } from 'node:crypto';
import { createTransferCheckedInstruction } from '@solana/spl-token';
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import type { PolicyChange, ChainPolicy } from '../../../../libs/chain/src/policy/policy.types';
import { byWords, categoryEntry } from '../../../../libs/chain/src/policy/list-entries';
import { decodePolicy, draftContentHash, isPauseAlone, listEntries, setPolicyArgs } from '../../../../libs/chain/src/policy/policy-data';
import { Addresses } from '../../../../libs/chain/src/program/addresses';
import { PROGRAM_ID, coder, toBn } from '../../../../libs/chain/src/program/idl';
import { instruction } from '../../../../libs/chain/src/program/instruction';
import { DECIMALS, plain, type Key, type Outcome, type TestChain } from './chain';

/** Accounts of an instruction that a test replaces. */
export type Accounts = Record<string, PublicKey | undefined>;

/** Offsets of fields in an `AgentAccount`, discriminator included. */
export const OFFSET = { controller: 64, authority: 96, openSessions: 160, reserved: 168 } as const;
/** Bytes of an `AgentAccount`, a `Policy` without lists, a draft without entries, a token account, the tombstone of a closed account, and a list entry. */
export const SPACE = { account: 1_448, policy: 128, draft: 125, tokenAccount: 165, closed: 40, entry: 32 } as const;

/** Instructions that name the policy's address also where there is none. */
const NEEDS_POLICY = ['set_policy', 'close_policy_draft', 'leave_fleet', 'end_policy'];

export interface Order {
  seq: bigint;
  amount: bigint;
  transferId: Buffer;
  category: string | null;
  memoHash: Buffer | null;
  destination: PublicKey;
  /** Whether the operator signs as well. */
  approved: boolean;
}

export interface Charge {
  seq: bigint;
  amount: bigint;
  chargeId: Buffer;
  category: string | null;
  expiresInSeconds: number;
  /** Whether the operator signs as well. */
  approved: boolean;
  delegate: PublicKey;
  /** Whether it is for many payments. */
  purse: boolean;
}

/** Lists to be staged. */
export interface Draft {
  address: PublicKey;
  targetVersion: bigint;
  hash: Buffer;
  content: Buffer;
  counterparties: number;
  categories: number;
}

/** The account's part of the arguments of `create_account`. */
export interface Keys {
  id: Buffer;
  creator: Key;
  operator: Key;
  authority: Key;
}

export class TestAccount {
  readonly address: PublicKey;
  readonly policy: PublicKey;
  readonly tokenAccount: PublicKey;
  readonly mint: PublicKey;
  readonly creator: Key;
  operator: Key;
  authority: Key;
  /** A stranger's token account: the default destination. */
  readonly payee: PublicKey;
  /** The highest nonce used so far. */
  seq = 0n;
  /** The fleet that it is a member of. */
  fleet: { address: PublicKey; policy: PublicKey } | undefined;
  hasOwnPolicy = true;
  private readonly addresses: Addresses;

  constructor(
    readonly chain: TestChain,
    private readonly keys: Keys,
    mint = chain.mint,
  ) {
    this.addresses = new Addresses(PROGRAM_ID, mint);
    const { address, tokenAccount } = this.addresses.account(keys.creator.publicKey, keys.id);
    this.address = new PublicKey(address);
    this.tokenAccount = new PublicKey(tokenAccount);
    this.policy = this.addresses.policy(this.address);
    this.mint = mint;
    ({ creator: this.creator, operator: this.operator, authority: this.authority } = keys);
    this.payee = chain.aTokenAccount({ mint });
  }

  // Instructions

  create(accounts: Accounts = {}): TransactionInstruction {
    const { id, operator, authority } = this.keys;
    return this.instruction('create_account', accounts, {
      args: { id: [...id], operator: operator.publicKey, authority: authority.publicKey },
    });
  }

  transfer(order: Partial<Order> = {}, accounts: Accounts = {}): TransactionInstruction {
    const seq = order.seq ?? this.seq + 1n;
    const {
      amount = 1n,
      transferId = transferIdOf(seq),
      category = null,
      memoHash = null,
      destination = this.payee,
      approved = false,
    } = order;
    return this.instruction(
      'transfer',
      { operator: approved ? this.operator.publicKey : undefined, destination, ...accounts },
      {
        args: {
          seq: toBn(seq),
          transfer_id: [...transferId],
          amount: toBn(amount),
          category: category === null ? null : [...categoryEntry(category)],
          memo_hash: memoHash && [...memoHash],
        },
      },
    );
  }

  /** The expected version defaults to the one on chain, and to none for a pause alone. */
  setPolicy(
    change: PolicyChange,
    { expectedVersion, ...rest }: { expectedVersion?: bigint | null; draft?: Draft; args?: object; accounts?: Accounts } = {},
  ): TransactionInstruction {
    const version = expectedVersion === undefined ? (isPauseAlone(change) ? null : this.readPolicy().version) : expectedVersion;
    const args = { ...setPolicyArgs(change, version, rest.draft !== undefined), ...rest.args };
    const staged = rest.draft && { draft: rest.draft.address, draft_rent_recipient: this.chain.feePayer.publicKey };
    return this.instruction(
      'set_policy',
      { rent_recipient: this.creator.publicKey, draft: undefined, ...staged, ...rest.accounts },
      { args },
    );
  }

  createDraft(draft: Draft, accounts: Accounts = {}): TransactionInstruction {
    const args = {
      target_version: toBn(draft.targetVersion),
      content_hash: [...draft.hash],
      counterparty_count: draft.counterparties,
      category_count: draft.categories,
    };
    return this.instruction('create_policy_draft', { draft: draft.address, ...accounts }, { args });
  }

  writeDraft(
    draft: Draft,
    { offset = 0, content = draft.content.subarray(offset, offset + 768) }: { offset?: number; content?: Buffer } = {},
    accounts: Accounts = {},
  ): TransactionInstruction {
    return this.instruction('write_policy_draft', { draft: draft.address, ...accounts }, { offset, content });
  }

  closeDraft(draft: Draft, accounts: Accounts = {}): TransactionInstruction {
    return this.instruction(
      'close_policy_draft',
      { draft: draft.address, closer: this.operator.publicKey, rent_payer: this.chain.feePayer.publicKey, ...accounts },
      {},
    );
  }

  rotateAuthority(authority: PublicKey, accounts: Accounts = {}): TransactionInstruction {
    return this.instruction('rotate_authority', accounts, { new_authority: authority });
  }

  /** Signed by the new operator too, where it has not accepted in an instruction before. */
  setOperator(operator: PublicKey, accounts: Accounts = {}): TransactionInstruction {
    const setOperator = this.instruction('set_operator', { new_operator: operator, ...accounts }, {});
    const signs = accounts.instructions === undefined;
    for (const key of setOperator.keys) if (key.pubkey.equals(operator)) key.isSigner ||= signs;
    return setOperator;
  }

  approveCharge(charge: Partial<Charge> = {}, accounts: Accounts = {}): TransactionInstruction {
    const {
      seq = this.seq + 1n,
      amount = 100n,
      category = null,
      approved = false,
      expiresInSeconds = 600,
      delegate = this.chain.aKey(0n).publicKey,
      chargeId = idOf(seq),
      purse = false,
    } = charge;
    return this.instruction(
      'approve_charge',
      { operator: approved ? this.operator.publicKey : undefined, delegate, ...accounts },
      {
        args: {
          seq: toBn(seq),
          charge_id: [...chargeId],
          amount: toBn(amount),
          category: category === null ? null : [...categoryEntry(category)],
          expires_in_seconds: expiresInSeconds,
          purse,
        },
      },
    );
  }

  /** The closer defaults to the authority. */
  finishCharge(seq = this.seq, accounts: Accounts = {}): TransactionInstruction {
    return this.instruction('finish_charge', { closer: this.authority.publicKey, ...accounts }, { seq: toBn(seq) });
  }

  /** The plain transfer that a provider takes: the delegate signs, and the program is not called. */
  useCharge(delegate: PublicKey, amount: bigint, to = this.payee): TransactionInstruction {
    return createTransferCheckedInstruction(this.tokenAccount, this.mint, to, delegate, amount, DECIMALS);
  }

  checkPayment(
    session: PublicKey,
    { amount = 1n, category = null }: { amount?: bigint; category?: string | null } = {},
    accounts: Accounts = {},
  ): TransactionInstruction {
    return this.instruction(
      'check_payment',
      { session, ...accounts },
      { args: { amount: toBn(amount), category: category === null ? null : [...categoryEntry(category)] } },
    );
  }

  spending(accounts: Accounts = {}): TransactionInstruction {
    return this.instruction('spending', accounts, {});
  }

  close(accounts: Accounts = {}): TransactionInstruction {
    return this.instruction('close_account', accounts, {});
  }

  sweepClosed(destination: PublicKey, accounts: Accounts = {}): TransactionInstruction {
    const { address, bump } = this.addresses.accountWithBump(this.creator.publicKey, this.keys.id);
    const args = { creator: this.creator.publicKey, id: [...this.keys.id], bump };
    if (!address.equals(this.address)) throw new Error('the address of an account never changes');
    return this.instruction('sweep_closed_account', { destination, ...accounts }, { args });
  }

  /** What judges its spending, by the names of the interface. */
  governing(): Accounts {
    return { policy: this.hasOwnPolicy ? this.policy : undefined, fleet: this.fleet?.address, fleet_policy: this.fleet?.policy };
  }

  leaveFleet(accounts: Accounts = {}): TransactionInstruction {
    return this.instruction('leave_fleet', accounts, {});
  }

  endPolicy(expectedVersion = this.readPolicy().version, accounts: Accounts = {}): TransactionInstruction {
    const recipient = { rent_recipient: this.creator.publicKey };
    return this.instruction('end_policy', { ...recipient, ...accounts }, { expected_version: toBn(expectedVersion) });
  }

  private instruction(name: string, accounts: Accounts, args: object): TransactionInstruction {
    const { address: account, policy, tokenAccount: token_account, mint, creator, operator, authority, chain } = this;
    const own = {
      account,
      owner: accounts.account ?? account,
      ...this.governing(),
      ...(NEEDS_POLICY.includes(name) && { policy }),
      token_account,
      mint,
      creator: creator.publicKey,
      operator: operator.publicKey,
      authority: authority.publicKey,
      payer: chain.feePayer.publicKey,
    };
    return instruction(PROGRAM_ID, name, { ...own, ...accounts }, args);
  }

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

  readPolicy(): ChainPolicy {
    return decodePolicy(this.chain.account(this.policy).data);
  }

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

/** A number in 16 bytes. */
export function idOf(number: number | bigint): Buffer {
  const id = Buffer.alloc(16);
  id.writeBigUInt64LE(BigInt(number), 8);
  return id;
}

export const transferIdOf = idOf;

/** In the order in which a policy keeps them. */
export function someAddresses(count: number): string[] {
  const keys = Array.from({ length: count }, (_, index) => createHash('sha256').update(`counterparty ${index}`).digest());
  return keys.sort(byWords).map((key) => new PublicKey(key).toBase58());
}

export function someCategories(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `category-${index}`);
}
