/** Drafts: lists of a policy change that are too long for one transaction are staged in an account first. */
import { PublicKey, SYSVAR_CLOCK_PUBKEY, type AccountInfo } from '@solana/web3.js';
import { isClosed } from '../accounts/account-data';
import type { FleetOf } from '../accounts/fleet-of';
import type { Addresses } from '../program/addresses';
import { COMPUTE_UNITS } from '../program/compute-units';
import { coder, decodeFields, toBigint, toBn } from '../program/idl';
import { instruction } from '../program/instruction';
import type { Rpc } from '../rpc/client';
import { unixSecondsOf } from '../rpc/clock';
import { errorOf, landedOrThrow, reasonOf } from '../tx/executed';
import type { Runner } from '../tx/runner';
import type { Signer } from '../tx/signing/signer';
import { ENTRY_BYTES } from './list-entries';
import { decodePolicy, draftContentHash, type ListEntries, listEntries, POLICY_HEADER_BYTES } from './policy-data';
import type { PolicyChange } from './policy.types';

/** Bytes of draft content in one transaction: beside two signatures and six accounts 830 are left. */
const CHUNK_BYTES = 24 * ENTRY_BYTES;
/** Bytes by which an account grows in one instruction at most; `MAX_PERMITTED_DATA_INCREASE` of the runtime. */
const GROWTH_BYTES = 10_240;
/** The age at which closing a draft becomes permissionless; `DRAFT_LIFETIME_SECONDS` of the program. */
const LIFETIME_SECONDS = 3_600n;
/** Offset of the rent payer in a draft: behind the discriminator and the owner's address. */
const RENT_PAYER_OFFSET = 40;
/** Drafts closed in one call; the next call finds the rest. */
const MAX_CLOSED = 100;

/** Bytes of a draft before its entries. */
const DRAFT_HEADER_BYTES = coder.accounts.size('PolicyDraft');

interface Draft {
  address: PublicKey;
  owner: PublicKey;
  targetVersion: bigint;
  /** Unix seconds. */
  createdAt: bigint;
}

export class PolicyDrafts {
  constructor(
    private readonly rpc: Rpc,
    private readonly runner: Runner,
    private readonly addresses: Addresses,
    private readonly options: { feePayer: PublicKey; fleets: FleetOf },
  ) {}

  /**
   * Writes the lists of a change into a draft and returns its address, which depends on its content. Repeating it is harmless: what the
   * draft has already is not written again. Then makes room for them in the policy, if `set_policy` alone could not.
   */
  async stage(
    { address: owner, fleet }: { address: string; fleet: PublicKey | undefined },
    change: PolicyChange,
    targetVersion: bigint,
    operator: Signer,
  ): Promise<PublicKey> {
    const lists = listEntries(change);
    const { counterparties, categories } = lists;
    const content = Buffer.concat([...counterparties, ...categories]);
    const contentHash = draftContentHash(lists);
    const draft = this.addresses.draft(new PublicKey(owner), targetVersion, contentHash);
    const accounts = { ...policyAccounts(this.addresses, owner, operator, this.options.feePayer), fleet, draft };
    const { programId } = this.addresses;
    let [present] = await this.rpc.accounts([draft.toBase58()]);
    if (!present) {
      const args = {
        target_version: toBn(targetVersion),
        content_hash: [...contentHash],
        counterparty_count: counterparties.length,
        category_count: categories.length,
      };
      // Fails if the same change was staged concurrently.
      await this.runner.execute([instruction(programId, 'create_policy_draft', accounts, { args })], COMPUTE_UNITS.policyDraft, [operator]);
      [present] = await this.rpc.accounts([draft.toBase58()]);
    }
    const written = present?.data.subarray(-content.length);
    const offsets = Array.from({ length: Math.ceil(content.length / CHUNK_BYTES) }, (_, index) => index * CHUNK_BYTES);
    const isMissing = (offset: number) =>
      !written?.subarray(offset, offset + CHUNK_BYTES).equals(content.subarray(offset, offset + CHUNK_BYTES));
    const write = (offset: number) => {
      const args = { offset, content: content.subarray(offset, offset + CHUNK_BYTES) };
      return this.runner.execute([instruction(programId, 'write_policy_draft', accounts, args)], COMPUTE_UNITS.policyDraft, [operator]);
    };
    const missing = offsets.filter(isMissing);
    // Each write lets a long draft grow, so the first ones are in order.
    const growing = stepsTo(DRAFT_HEADER_BYTES + content.length, present?.data.length ?? GROWTH_BYTES);
    for (const offset of missing.slice(0, growing)) await write(offset);
    await Promise.all(missing.slice(growing).map(write));
    await this.makeRoom(draft, accounts, lists);
    return draft;
  }

  /** Lets the policy grow until `set_policy`, which lets it grow too, has room for the lists of a draft beside those that are kept. */
  private async makeRoom(draft: PublicKey, { policy, payer }: PolicyAccounts, { counterparties, categories }: ListEntries): Promise<void> {
    const [info] = await this.rpc.accounts([policy.toBase58()]);
    if (!info) return; // of an account, whose lists are short
    const { allowedCounterparties, categories: present } = decodePolicy(info.data);
    const entries = Math.max(counterparties.length, allowedCounterparties?.length ?? 0) + Math.max(categories.length, present?.length ?? 0);
    const steps = stepsTo(POLICY_HEADER_BYTES + entries * ENTRY_BYTES, info.data.length) - 1;
    if (steps < 1) return;
    const grow = instruction(this.addresses.programId, 'grow_policy', { policy, draft, payer }, {});
    const grown = await this.runner.execute(Array(steps).fill(grow), COMPUTE_UNITS.growPolicy, []);
    // A draft of another version, or one that is gone: `set_policy` says so.
    if (grown.kind !== 'landed' && !['wrong_draft', 'error_3012'].includes(reasonOf(grown))) throw errorOf(grown, 'grow_policy');
  }

  /**
   * Closes drafts that our fee payer paid for and that were never committed: those past their lifetime or their target version, and
   * those of accounts and fleets that were closed since. Returns how many.
   */
  async closeStale(): Promise<number> {
    const drafts = (await this.drafts()).slice(0, MAX_CLOSED);
    if (drafts.length === 0) return 0;
    const policies = drafts.map(({ owner }) => this.addresses.policy(owner));
    const [clock, ...policyInfos] = await this.rpc.accounts([SYSVAR_CLOCK_PUBKEY, ...policies].map((key) => key.toBase58()));
    const ownerInfos = await this.rpc.accounts(drafts.map(({ owner }) => owner.toBase58()));
    const now = unixSecondsOf(clock);
    let closed = 0;
    for (const [index, draft] of drafts.entries()) {
      const [policy, owner]: (AccountInfo<Buffer> | null | undefined)[] = [policyInfos[index], ownerInfos[index]];
      const isStale = policy && (draft.targetVersion <= decodePolicy(policy.data).version || now - draft.createdAt >= LIFETIME_SECONDS);
      if (!isStale && !(owner && isClosed(owner.data))) continue;
      await this.close(draft);
      closed++;
    }
    return closed;
  }

  private async close({ address, owner }: Draft): Promise<void> {
    const accounts = {
      owner,
      policy: this.addresses.policy(owner),
      fleet: await this.options.fleets.of(owner.toBase58()),
      draft: address,
      rent_payer: this.options.feePayer,
      closer: this.options.feePayer,
    };
    const close = instruction(this.addresses.programId, 'close_policy_draft', accounts, {});
    landedOrThrow(await this.runner.execute([close], COMPUTE_UNITS.policyDraft, []), 'close_policy_draft');
  }

  private async drafts(): Promise<Draft[]> {
    const filters = [coder.accounts.memcmp('PolicyDraft'), { offset: RENT_PAYER_OFFSET, bytes: this.options.feePayer.toBase58() }];
    const found = await this.rpc.read('no drafts', (connection) =>
      connection.getProgramAccounts(this.addresses.programId, { filters: filters.map((memcmp) => ({ memcmp })) }),
    );
    return found.map(({ pubkey, account: { data } }) => {
      const { owner, target_version: targetVersion, created_at: createdAt } = decodeFields('PolicyDraft', data);
      return { address: pubkey, owner, targetVersion: toBigint(targetVersion), createdAt: toBigint(createdAt) };
    });
  }
}

/** Instructions after which an account of `from` bytes can have `to`. */
const stepsTo = (to: number, from: number): number => Math.max(0, Math.ceil((to - from) / GROWTH_BYTES));

type PolicyAccounts = Record<'owner' | 'policy' | 'operator' | 'payer', PublicKey>;

/** The accounts that every change of a policy takes. */
export function policyAccounts(addresses: Addresses, address: string, operator: Pick<Signer, 'address'>, payer: PublicKey): PolicyAccounts {
  const owner = new PublicKey(address);
  return { owner, policy: addresses.policy(owner), operator: new PublicKey(operator.address), payer };
}
