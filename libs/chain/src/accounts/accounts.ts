/** Agent accounts: their addresses, creation, state, balances and what they may still spend. */
import { setTimeout } from 'node:timers/promises';
import { PublicKey } from '@solana/web3.js';
import { ChainOutcomeUnknownError, ChainRefusedError } from '../chain.errors';
import type { AccountAddresses, Addresses } from '../program/addresses';
import { COMPUTE_UNITS } from '../program/compute-units';
import { coder } from '../program/idl';
import { instruction } from '../program/instruction';
import type { Rpc } from '../rpc/client';
import { explain } from '../tx/build';
import { describe } from '../tx/executed';
import type { Runner } from '../tx/runner';
import type { Signer } from '../tx/signing/signer';
import type { SettlementCommitment } from '../tx/tx.types';
import { decodeAccount, decodeSpending, isClosed } from './account-data';
import type { FleetOf } from './fleet-of';
import type { ChainAccount, Spending } from './account.types';
import { readTokenAccount } from './token-account';

/** Offset of the operator or fleet in an `AgentAccount`: behind the discriminator and eight bytes are its id and its creator. */
const CONTROLLER_OFFSET = 16 + 16 + 32;

/** How long a confirmed account is awaited at the settlement commitment: finality takes about 13 seconds. */
const SETTLE_WITHIN_MS = 25_000;
const SETTLE_POLL_MS = 500;

/** An account to be created: its 16-byte id, its address if that was planned before, its keys, and the fleet that it is created in. */
export interface NewAccount {
  id: Uint8Array;
  address?: string;
  operator: string;
  authority: string;
  fleet?: { address: string; signer: Signer } | undefined;
}

export class ChainAccounts {
  constructor(
    private readonly rpc: Rpc,
    private readonly runner: Runner,
    private readonly addresses: Addresses,
    private readonly feePayer: PublicKey,
    private readonly commitment: SettlementCommitment,
    private readonly fleets: FleetOf,
  ) {}

  /** The key that creates accounts. */
  get creator(): string {
    return this.feePayer.toBase58();
  }

  /** The addresses of the account with this 16-byte id, created or not. Pure. */
  plan(id: Uint8Array): AccountAddresses & { creator: string } {
    return { ...this.addresses.account(this.feePayer, id), creator: this.feePayer.toBase58() };
  }

  /**
   * Creates the account that `plan(id)` named, at `address`. Does nothing if it exists with this authority; its operator may have changed since.
   * If transactions settle when they are finalized, only a finalized account is believed to exist.
   * @throws ChainRefusedError `account_taken` if it exists with another authority; ChainOutcomeUnknownError if the transaction may
   * still land, or is not finalized yet: call again; ChainUnavailableError if nothing was sent.
   */
  async create({ id, operator, authority, fleet, ...planned }: NewAccount): Promise<void> {
    const plan = this.plan(id);
    const { address = plan.address } = planned;
    if (plan.address !== address) throw new Error(`${address} is not where this fee payer creates that account`);
    const account = new PublicKey(address);
    const exists = (slot = 0) => this.isCreated(address, authority, { minContextSlot: slot, commitment: 'confirmed' });
    if (await exists()) return this.untilSettled(address, authority);
    const accounts = {
      account,
      policy: fleet ? undefined : this.addresses.policy(account),
      fleet: fleet && new PublicKey(fleet.address),
      fleet_signer: fleet && new PublicKey(fleet.signer.address),
      token_account: new PublicKey(plan.tokenAccount),
      mint: this.addresses.mint,
      creator: this.feePayer,
    };
    const args = { id: [...id], operator: new PublicKey(operator), authority: new PublicKey(authority) };
    const create = instruction(this.addresses.programId, 'create_account', accounts, { args });
    const outcome = await this.runner.execute([create], COMPUTE_UNITS.createAccount, fleet ? [fleet.signer] : [], exists);
    if (outcome.kind === 'landed') return;
    if (!(await exists())) throw new ChainRefusedError('create_account', describe(outcome));
    await this.untilSettled(address, authority);
  }

  /**
   * Whether an account with this authority exists, at the settlement commitment unless another is given.
   * @throws ChainRefusedError `account_taken` if it has another authority.
   */
  async isCreated(
    address: string,
    authority: string,
    { minContextSlot = 0, commitment = this.commitment }: { minContextSlot?: number; commitment?: SettlementCommitment } = {},
  ): Promise<boolean> {
    const [existing = null] = await this.findMany([address], minContextSlot, commitment);
    if (existing && existing.authority !== authority)
      throw new ChainRefusedError('account_taken', `${address} exists with another authority`);
    return existing !== null;
  }

  /** Waits until an account that is confirmed has settled. @throws ChainOutcomeUnknownError */
  private async untilSettled(address: string, authority: string): Promise<void> {
    const deadline = performance.now() + SETTLE_WITHIN_MS;
    while (!(await this.isCreated(address, authority))) {
      if (performance.now() > deadline) throw new ChainOutcomeUnknownError(`${address} is confirmed and not finalized yet`);
      await setTimeout(SETTLE_POLL_MS);
    }
  }

  /** The account at `address`, from a node that has reached `minContextSlot`; null if there is none, or a closed one. */
  async find(address: string, minContextSlot = 0): Promise<ChainAccount | null> {
    return (await this.findMany([address], minContextSlot))[0] ?? null;
  }

  /** Many accounts, a hundred per request, from a node that has reached `minContextSlot`; null if there is none. */
  async findMany(
    addresses: string[],
    minContextSlot = 0,
    commitment: SettlementCommitment = 'confirmed',
  ): Promise<(ChainAccount | null)[]> {
    const infos = await this.rpc.accounts(addresses, minContextSlot, commitment);
    return infos.map((info, index) =>
      info?.owner.equals(this.addresses.programId) ? decodeAccount(addresses[index] ?? '', info.data) : null,
    );
  }

  /** The operator key of each account: of its fleet, for a member. */
  operatorsOf(accounts: ChainAccount[], minContextSlot = 0): Promise<string[]> {
    return this.fleets.operatorsOf(accounts, minContextSlot);
  }

  /**
   * The accounts that a controller, an operator key or a fleet, decides over and that one of these keys has created, with their 16-byte
   * ids. Reads all of the controller's.
   */
  async ofOperator(controller: string, creators: readonly string[]): Promise<ChainAccount[]> {
    const isAccount = { memcmp: coder.accounts.memcmp('AgentAccount') };
    const isControlled = { memcmp: { offset: CONTROLLER_OFFSET, bytes: controller } };
    const found = await this.rpc.read('no accounts of an operator', (connection) =>
      connection.getProgramAccounts(this.addresses.programId, { filters: [isAccount, isControlled] }),
    );
    const accounts = found.map(({ pubkey, account: { data } }) => decodeAccount(pubkey.toBase58(), data));
    const isOfMint = ({ address, tokenAccount }: ChainAccount) =>
      this.addresses.tokenAccount(new PublicKey(address)).toBase58() === tokenAccount;
    return accounts.filter((account) => account !== null).filter((account) => creators.includes(account.creator) && isOfMint(account));
  }

  /** Whether the chain shows that the account or fleet at an address was closed. */
  async isClosed(address: string): Promise<boolean> {
    const [info] = await this.rpc.accounts([address]);
    return info?.owner.equals(this.addresses.programId) === true && isClosed(info.data);
  }

  /** Micro-USDC in each token account, a hundred per request, from a node that has reached `minContextSlot`; null if there is none. */
  async balances(tokenAccounts: string[], minContextSlot = 0, commitment: SettlementCommitment = 'confirmed'): Promise<(bigint | null)[]> {
    const infos = await this.rpc.accounts(tokenAccounts, minContextSlot, commitment);
    return infos.map((info, index) => (info ? readTokenAccount(new PublicKey(tokenAccounts[index] ?? ''), info).amount : null));
  }

  /** The amount that the account may still spend, and the times when spent amounts stop counting, by the program's view instruction. */
  async spending(of: AccountAddresses, minContextSlot: number): Promise<Spending> {
    const { policy } = this.addresses.governing(of);
    const accounts = { account: new PublicKey(of.address), policy, token_account: new PublicKey(of.tokenAccount) };
    const view = instruction(this.addresses.programId, 'spending', accounts, {});
    const { err, logs, returnData } = await this.runner.simulateRaw([view], COMPUTE_UNITS.spending, minContextSlot);
    if (err) {
      const reason = explain(this.addresses.programId, err, logs ?? []);
      throw new ChainRefusedError('failure' in reason ? reason.failure.reason : 'spending', JSON.stringify(err));
    }
    if (!returnData) throw new ChainRefusedError('spending', JSON.stringify(logs));
    return decodeSpending(Buffer.from(returnData.data[0], 'base64'));
  }
}
