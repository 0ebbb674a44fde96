/** Builders: the instructions of an agent account on a test chain. */
import { createTransferCheckedInstruction } from '@solana/spl-token';
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import type { PolicyChange, ChainPolicy } from '../../../../libs/chain/src/policy/policy.types';
import { categoryEntry } from '../../../../libs/chain/src/policy/list-entries';
import { decodePolicy, isPauseAlone, setPolicyArgs } from '../../../../libs/chain/src/policy/policy-data';
import { Addresses } from '../../../../libs/chain/src/program/addresses';
import { PROGRAM_ID, toBn } from '../../../../libs/chain/src/program/idl';
import { instruction } from '../../../../libs/chain/src/program/instruction';
import { DECIMALS, type Key, type TestChain } from './chain';

/** Accounts of an instruction that a test replaces. */
export type Accounts = Record<string, PublicKey | undefined>;

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

/** An agent account on a test chain, and its instructions. */
export class AccountInstructions {
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
  protected readonly addresses: Addresses;

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

  create(accounts: Accounts = {}): TransactionInstruction {
    const { id, operator, authority } = this.keys;
    return this.instruction('create_account', accounts, {
      args: { id: [...id], operator: operator.publicKey, authority: authority.publicKey },
    });
  }

  transfer(order: Partial<Order> = {}, accounts: Accounts = {}): TransactionInstruction {
    const seq = order.seq ?? this.seq + 1n;
    const { amount = 1n, transferId = idOf(seq), category = null, memoHash = null, destination = this.payee, approved = false } = order;
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

  /** The accounts that judge its spending, by the names of the interface. */
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

  readPolicy(): ChainPolicy {
    return decodePolicy(this.chain.account(this.policy).data);
  }
}

/** A number in 16 bytes. */
export function idOf(number: number | bigint): Buffer {
  const id = Buffer.alloc(16);
  id.writeBigUInt64LE(BigInt(number), 8);
  return id;
}
