/** Fleets: accounts of one operator under one policy, one set of limits and one pause. */
import { PublicKey, SYSVAR_INSTRUCTIONS_PUBKEY, type TransactionInstruction } from '@solana/web3.js';
import { type Acceptance, verifyAcceptance } from '../accounts/acceptance';
import { decodeAccount, decodeSpending, isClosed, tallyOf } from '../accounts/account-data';
import type { ChainAccount } from '../accounts/account.types';
import { ChainRefusedError } from '../chain.errors';
import type { Addresses } from '../program/addresses';
import { COMPUTE_UNITS } from '../program/compute-units';
import { amountChange, coder, toBn } from '../program/idl';
import { instruction, signsToo } from '../program/instruction';
import type { Rpc } from '../rpc/client';
import { explain } from '../tx/build';
import { describe, landedOrThrow } from '../tx/executed';
import type { Runner } from '../tx/runner';
import type { Signer } from '../tx/signing/signer';
import { decodeFleet } from './fleet-data';
import type { ChainFleet, FleetLimits, FleetSpending, FleetWindows, LimitsChangeOutcome, NewFleet } from './fleet.types';
import { readTally } from './tally-data';

/** Errors after which the limits or their operator are not those that were read. */
const MISMATCH = ['limits_version_mismatch', 'wrong_operator'];

/** Offset of `operator` in a `Fleet`, discriminator included. */
const OPERATOR_OFFSET = 64;
/** Accounts that one request reads, of one slot. */
const ONE_REQUEST = 100;

/**
 * Each change may be repeated. All throw ChainOutcomeUnknownError if it may still take effect, ChainUnavailableError if nothing was
 * sent, and ChainRefusedError with the program's reason.
 */
export class ChainFleets {
  constructor(
    private readonly rpc: Rpc,
    private readonly runner: Runner,
    private readonly addresses: Addresses,
    private readonly feePayer: Signer,
  ) {}

  /** The key that pauses the fleets which it creates, and adds accounts to them, without their operator. */
  get guardian(): string {
    return this.feePayer.address;
  }

  /** The signer of a fleet's guardian; undefined if it is another key, or if there is none. */
  guardianOf({ guardian }: ChainFleet): Signer | undefined {
    return guardian === this.feePayer.address ? this.feePayer : undefined;
  }

  /** The address of the fleet with this 16-byte id, created or not. Pure. */
  plan(id: Uint8Array): { address: string; creator: string } {
    return { address: this.addresses.fleet(new PublicKey(this.feePayer.address), id).toBase58(), creator: this.feePayer.address };
  }

  /** Creates the fleet that `plan(id)` named. Does nothing if it exists. Its policy has no limits. */
  async create({ id, address, guardian, limits }: NewFleet, operator: Signer): Promise<{ slot: number }> {
    const exists = async (minContextSlot = 0) => (await this.findMany([address], minContextSlot))[0] !== null;
    if (await exists()) return { slot: 0 };
    const fleet = new PublicKey(address);
    const accounts = {
      fleet,
      policy: this.addresses.policy(fleet),
      operator: new PublicKey(operator.address),
      creator: new PublicKey(this.feePayer.address),
    };
    const amount = (limit: bigint | null) => (limit === null ? null : toBn(limit));
    const args = {
      id: [...id],
      guardian: guardian === null ? null : new PublicKey(guardian),
      max_daily_spend: amount(limits.maxDailySpend),
      max_monthly_spend: amount(limits.maxMonthlySpend),
      max_lifetime_spend: amount(limits.maxLifetimeSpend),
    };
    const create = this.instruction('create_fleet', accounts, { args });
    const outcome = await this.runner.execute([create], COMPUTE_UNITS.createFleet, [operator], exists);
    if (outcome.kind === 'landed') return { slot: outcome.slot };
    if (!(await exists())) throw new ChainRefusedError('create_fleet', describe(outcome));
    return { slot: 0 };
  }

  /** The fleet at `address`, from a node that has reached `minContextSlot`; null if there is none, or a closed one. */
  async find(address: string, minContextSlot = 0): Promise<ChainFleet | null> {
    return (await this.findMany([address], minContextSlot))[0] ?? null;
  }

  /** Many fleets, a hundred per request; null if there is none. */
  async findMany(addresses: string[], minContextSlot = 0): Promise<(ChainFleet | null)[]> {
    const infos = await this.rpc.accounts(addresses, minContextSlot);
    return infos.map((info, index) =>
      info?.owner.equals(this.addresses.programId) && !isClosed(info.data) ? decodeFleet(addresses[index] ?? '', info.data) : null,
    );
  }

  /** The fleets of an operator on chain that these keys created: reads all fleets of the program. Closed ones are left out. */
  async ofOperator(operator: string, creators: readonly string[]): Promise<ChainFleet[]> {
    const isFleet = { memcmp: coder.accounts.memcmp('Fleet') };
    const isOperated = { memcmp: { offset: OPERATOR_OFFSET, bytes: operator } };
    const found = await this.rpc.read('no fleets of an operator', (connection) =>
      connection.getProgramAccounts(this.addresses.programId, { filters: [isFleet, isOperated] }),
    );
    const fleets = found.map(({ pubkey, account: { data } }) => decodeFleet(pubkey.toBase58(), data));
    return fleets.filter(({ creator }) => creators.includes(creator));
  }

  /** Whether there was a fleet at an address, which was closed. */
  async isClosed(address: string): Promise<boolean> {
    const [info] = await this.rpc.accounts([address]);
    return info?.owner.equals(this.addresses.programId) === true && isClosed(info.data);
  }

  /** The window of a fleet and those of its members at these addresses; null if there is no fleet. */
  async windows(address: string, accounts: string[], minContextSlot: number): Promise<FleetWindows | null> {
    const read = (addresses: string[]) => this.rpc.accounts(addresses, minContextSlot);
    const isOneSlot = accounts.length < ONE_REQUEST;
    const [before, ...together] = await read(isOneSlot ? [address, ...accounts] : [address]);
    const infos = isOneSlot ? together : await read(accounts);
    const [after] = isOneSlot ? [before] : await read([address]);
    if (!before || !after || isClosed(before.data) || isClosed(after.data)) return null;
    const members = infos.flatMap((info) => (info && decodeAccount('', info.data)?.fleet === address ? tallyOf(info.data) : []));
    return {
      before: readTally(before.data, 0),
      after: readTally(after.data, 0),
      isUnchanged: before.data.equals(after.data),
      count: decodeFleet(address, after.data).members,
      members,
    };
  }

  /** Changes the named limits if they still have `expectedVersion`. */
  async setLimits(address: string, change: Partial<FleetLimits>, expectedVersion: bigint, operator: Signer): Promise<LimitsChangeOutcome> {
    const accounts = { fleet: new PublicKey(address), operator: new PublicKey(operator.address) };
    const args = {
      expected_version: toBn(expectedVersion),
      max_daily_spend: amountChange(change.maxDailySpend),
      max_monthly_spend: amountChange(change.maxMonthlySpend),
      max_lifetime_spend: amountChange(change.maxLifetimeSpend),
    };
    const isShown = async (slot: number) => ((await this.find(address, slot))?.limitsVersion ?? 0n) > expectedVersion;
    const set = this.instruction('set_fleet_limits', accounts, { args });
    const outcome = await this.runner.execute([set], COMPUTE_UNITS.setFleetLimits, [operator], isShown);
    if (outcome.kind === 'landed') return { kind: 'changed', slot: outcome.slot };
    if (outcome.kind === 'failed' && MISMATCH.includes(outcome.failure.reason)) return { kind: 'version_mismatch' };
    throw new ChainRefusedError('set_fleet_limits', describe(outcome));
  }

  /**
   * Moves an account into a fleet, out of one, or from one into another, in one transaction: `fleet` null takes it out. An account
   * without a policy of its own that moves between fleets has none afterwards either; one that leaves gets a paused one. `signer`: of
   * the operator; if the account only joins, the guardian's will do. @throws ChainRefusedError `amounts_reserved`
   */
  async move(account: ChainAccount, fleet: string | null, signer: Signer): Promise<{ slot: number }> {
    const { address, fleet: left, hasOwnPolicy = true } = account;
    const accounts = {
      account: new PublicKey(address),
      operator: new PublicKey(signer.address),
      policy: this.addresses.policy(new PublicKey(address)),
      payer: new PublicKey(this.feePayer.address),
      rent_recipient: new PublicKey(account.creator),
    };
    const joined = fleet === null ? undefined : new PublicKey(fleet);
    const leave = left === undefined ? [] : [this.instruction('leave_fleet', { ...accounts, fleet: new PublicKey(left) }, {})];
    const join = joined ? [this.instruction('join_fleet', { ...accounts, fleet: joined }, {})] : [];
    const isPolicyless = left !== undefined && joined !== undefined && !hasOwnPolicy;
    const args = { expected_version: toBn(1n) };
    const end = isPolicyless ? [this.instruction('end_policy', { ...accounts, fleet: joined }, args)] : [];
    const isShown = (slot: number) => this.isMember(address, fleet ?? undefined, slot);
    const units = COMPUTE_UNITS.changeFleet * (leave.length + join.length + end.length);
    const outcome = await this.runner.execute([...leave, ...join, ...end], units, [signer], isShown);
    return { slot: landedOrThrow(outcome, 'join_fleet').slot };
  }

  /** Ends the policy of a member itself if it still has `expectedVersion`. */
  async endPolicy({ address, fleet, creator }: ChainAccount, expectedVersion: bigint, operator: Signer): Promise<{ slot: number }> {
    const account = new PublicKey(address);
    const accounts = {
      account,
      policy: this.addresses.policy(account),
      operator: new PublicKey(operator.address),
      rent_recipient: new PublicKey(creator),
      fleet: fleet === undefined ? undefined : new PublicKey(fleet),
    };
    const isShown = async (slot: number) => (await this.accountAt(address, slot))?.hasOwnPolicy === false;
    const end = this.instruction('end_policy', accounts, { expected_version: toBn(expectedVersion) });
    const outcome = await this.runner.execute([end], COMPUTE_UNITS.changeFleet, [operator], isShown);
    return { slot: landedOrThrow(outcome, 'end_policy').slot };
  }

  /** Replaces the operator of a fleet and of all its members. The new one signs too, or has accepted before. */
  async setOperator(address: string, oldOperator: Signer, newOperator: Signer | Acceptance): Promise<{ slot: number }> {
    const acceptance = 'text' in newOperator ? newOperator : undefined;
    const accounts = {
      fleet: new PublicKey(address),
      operator: new PublicKey(oldOperator.address),
      new_operator: new PublicKey(newOperator.address),
      instructions: acceptance && SYSVAR_INSTRUCTIONS_PUBKEY,
    };
    const set = this.instruction('set_fleet_operator', accounts, {});
    if (!acceptance) signsToo(set, accounts.new_operator);
    const isShown = async (slot: number) => (await this.find(address, slot))?.operator === newOperator.address;
    const signers = 'sign' in newOperator ? [oldOperator, newOperator] : [oldOperator];
    const instructions = acceptance ? [verifyAcceptance(acceptance), set] : [set];
    const outcome = await this.runner.execute(instructions, COMPUTE_UNITS.keyChange, signers, isShown);
    return { slot: landedOrThrow(outcome, 'set_fleet_operator').slot };
  }

  /** Closes a fleet without members permanently. @throws ChainRefusedError `fleet_in_use` with members. */
  async close({ address, creator }: Pick<ChainFleet, 'address' | 'creator'>, operator: Signer): Promise<{ slot: number }> {
    const fleet = new PublicKey(address);
    const accounts = {
      fleet,
      policy: this.addresses.policy(fleet),
      operator: new PublicKey(operator.address),
      creator: new PublicKey(creator),
    };
    const isShown = async (slot: number) => (await this.find(address, slot)) === null;
    const outcome = await this.runner.execute(
      [this.instruction('close_fleet', accounts, {})],
      COMPUTE_UNITS.closeAccount,
      [operator],
      isShown,
    );
    return { slot: landedOrThrow(outcome, 'close_fleet').slot };
  }

  /** The amount that the members together may still spend, by the program's view instruction. */
  async spending(address: string, minContextSlot: number): Promise<FleetSpending> {
    const view = this.instruction('fleet_spending', { fleet: new PublicKey(address) }, {});
    const { err, logs, returnData } = await this.runner.simulateRaw([view], COMPUTE_UNITS.spending, minContextSlot);
    if (err || !returnData) {
      const reason = err ? explain(this.addresses.programId, err, logs ?? []) : undefined;
      throw new ChainRefusedError(reason && 'failure' in reason ? reason.failure.reason : 'fleet_spending', JSON.stringify(err ?? logs));
    }
    const { policyVersion: limitsVersion, balance: _none, ...spending } = decodeSpending(Buffer.from(returnData.data[0], 'base64'));
    return { ...spending, limitsVersion };
  }

  private async isMember(address: string, fleet: string | undefined, minContextSlot: number): Promise<boolean> {
    const account = await this.accountAt(address, minContextSlot);
    return account !== null && account.fleet === fleet;
  }

  private async accountAt(address: string, minContextSlot: number): Promise<ChainAccount | null> {
    const [info] = await this.rpc.accounts([address], minContextSlot);
    return info?.owner.equals(this.addresses.programId) ? decodeAccount(address, info.data) : null;
  }

  private instruction(name: string, accounts: Record<string, PublicKey | undefined>, args: object): TransactionInstruction {
    return instruction(this.addresses.programId, name, accounts, args);
  }
}
