/** Long lists of a fleet's policy: its draft, the room for it, and the change that commits it. */
import type { PublicKey, TransactionInstruction } from '@solana/web3.js';
import { draftContentHash, listEntries, setPolicyArgs } from '../../../../libs/chain/src/policy/policy-data';
import type { PolicyChange } from '../../../../libs/chain/src/policy/policy.types';
import { Addresses } from '../../../../libs/chain/src/program/addresses';
import { PROGRAM_ID, toBn } from '../../../../libs/chain/src/program/idl';
import { instruction } from '../../../../libs/chain/src/program/instruction';
import type { Accounts } from './account-instructions';
import type { TestFleet } from './fleet';

/** Instructions `grow_policy` after which a policy without lists has room for the longest ones, less what `set_policy` lets it grow. */
export const GROWTHS = 3;
const CHUNK_BYTES = 768;

/** A change of a fleet's policy by a draft. */
export class StagedLists {
  readonly draft: PublicKey;
  readonly content: Buffer;
  private readonly hash: Buffer;
  private readonly version: bigint;
  private readonly counts: { counterparty_count: number; category_count: number };

  /** `order`: of the counterparties in the draft, by default that of the chain. */
  constructor(
    readonly fleet: TestFleet,
    readonly change: PolicyChange,
    order: (entries: Uint8Array[]) => Uint8Array[] = (entries) => entries,
  ) {
    const { counterparties: ascending, categories } = listEntries(change);
    const counterparties = order(ascending);
    this.counts = { counterparty_count: counterparties.length, category_count: categories.length };
    this.content = Buffer.concat([...counterparties, ...categories]);
    this.hash = draftContentHash({ counterparties, categories });
    this.version = fleet.readPolicy().version;
    this.draft = new Addresses(PROGRAM_ID, fleet.chain.mint).draft(fleet.address, this.version + 1n, this.hash);
  }

  create(): TransactionInstruction {
    const args = { target_version: toBn(this.version + 1n), content_hash: [...this.hash], ...this.counts };
    return this.instruction('create_policy_draft', {}, { args });
  }

  /** Writes a part of the draft that begins at this byte. */
  write(offset: number): TransactionInstruction {
    return this.instruction('write_policy_draft', {}, { offset, content: this.content.subarray(offset, offset + CHUNK_BYTES) });
  }

  grow(accounts: Accounts = {}): TransactionInstruction {
    return this.instruction('grow_policy', accounts, {});
  }

  commit(): TransactionInstruction {
    const accounts = { rent_recipient: this.fleet.creator.publicKey, draft_rent_recipient: this.fleet.chain.feePayer.publicKey };
    return this.instruction('set_policy', accounts, { args: setPolicyArgs(this.change, this.version, true) });
  }

  /** Creates and writes the draft. */
  stage(): this {
    this.fleet.chain.run(this.create());
    for (let offset = 0; offset < this.content.length; offset += CHUNK_BYTES) this.fleet.chain.run(this.write(offset));
    return this;
  }

  private instruction(name: string, accounts: Accounts, args: object): TransactionInstruction {
    const { address: owner, policy, operator, chain } = this.fleet;
    const own = { owner, policy, draft: this.draft, operator: operator.publicKey, payer: chain.feePayer.publicKey, fleet: undefined };
    return instruction(PROGRAM_ID, name, { ...own, ...accounts }, args);
  }
}

/** Gives a fleet lists of any length. */
export function setLists(fleet: TestFleet, change: PolicyChange, order?: (entries: Uint8Array[]) => Uint8Array[]): void {
  const lists = new StagedLists(fleet, change, order).stage();
  fleet.chain.run(...Array.from({ length: GROWTHS }, () => lists.grow()), lists.commit());
}
