/** Builders: a fleet on a test chain, its members and instructions, and readers of its state. */
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { decodePolicy, isPauseAlone, setPolicyArgs } from '../../../../libs/chain/src/policy/policy-data';
import type { ChainPolicy, PolicyChange } from '../../../../libs/chain/src/policy/policy.types';
import { Addresses } from '../../../../libs/chain/src/program/addresses';
import { PROGRAM_ID, coder, toBn } from '../../../../libs/chain/src/program/idl';
import { instruction } from '../../../../libs/chain/src/program/instruction';
import { aPlan, anAccount, type AccountOptions, type TestAccount } from './account';
import { idOf, type Accounts } from './account-instructions';
import type { Key, TestChain } from './chain';
import { plain } from './outcome';

/** Bytes of a `Fleet` and of the tombstone of a closed one. */
export const FLEET_SPACE = { fleet: 1_240, closed: 40 } as const;

/** Sums that all members together must not exceed, in micro-USDC; null for no limit. */
export interface Limits {
  daily?: bigint | null;
  monthly?: bigint | null;
  lifetime?: bigint | null;
}

export interface FleetOptions {
  id?: Buffer;
  limits?: Limits;
  policy?: PolicyChange;
  operator?: Key;
  guardian?: Key | null;
}

let fleets = 0;

export class TestFleet {
  readonly address: PublicKey;
  readonly policy: PublicKey;
  readonly creator: Key;
  operator: Key;
  readonly guardian: Key | null;
  private readonly id: Buffer;

  constructor(
    readonly chain: TestChain,
    private readonly options: FleetOptions = {},
  ) {
    const addresses = new Addresses(PROGRAM_ID, chain.mint);
    fleets += 1;
    this.id = options.id ?? idOf(fleets);
    this.creator = chain.feePayer;
    this.operator = options.operator ?? chain.aKey();
    this.guardian = options.guardian === undefined ? chain.aKey() : options.guardian;
    this.address = addresses.fleet(this.creator.publicKey, this.id);
    this.policy = addresses.policy(this.address);
  }

  create(accounts: Accounts = {}): TransactionInstruction {
    const { daily, monthly, lifetime } = this.options.limits ?? {};
    const limit = (value: bigint | null | undefined) => (value == null ? null : toBn(value));
    const args = {
      id: [...this.id],
      guardian: this.guardian?.publicKey ?? null,
      max_daily_spend: limit(daily),
      max_monthly_spend: limit(monthly),
      max_lifetime_spend: limit(lifetime),
    };
    return this.instruction('create_fleet', accounts, { args });
  }

  setLimits(limits: Limits, accounts: Accounts = {}, expectedVersion = this.read().limits_version as bigint): TransactionInstruction {
    const change = (value: bigint | null | undefined) =>
      value === undefined ? { Keep: {} } : value === null ? { Clear: {} } : { Set: { amount: toBn(value) } };
    const args = {
      expected_version: toBn(expectedVersion),
      max_daily_spend: change(limits.daily),
      max_monthly_spend: change(limits.monthly),
      max_lifetime_spend: change(limits.lifetime),
    };
    return this.instruction('set_fleet_limits', accounts, { args });
  }

  setPolicy(change: PolicyChange, accounts: Accounts = {}): TransactionInstruction {
    const version = isPauseAlone(change) ? null : this.readPolicy().version;
    const recipient = { owner: this.address, rent_recipient: this.creator.publicKey, fleet: undefined };
    return this.instruction('set_policy', { ...recipient, ...accounts }, { args: setPolicyArgs(change, version, false) });
  }

  join(account: TestAccount, accounts: Accounts = {}): TransactionInstruction {
    return this.instruction('join_fleet', { account: account.address, ...accounts }, {});
  }

  /** Signed by the new operator too. */
  setOperator(operator: PublicKey, accounts: Accounts = {}): TransactionInstruction {
    const setOperator = this.instruction('set_fleet_operator', { new_operator: operator, ...accounts }, {});
    for (const key of setOperator.keys) if (key.pubkey.equals(operator)) key.isSigner = true;
    return setOperator;
  }

  close(accounts: Accounts = {}): TransactionInstruction {
    return this.instruction('close_fleet', accounts, {});
  }

  spending(): TransactionInstruction {
    return this.instruction('fleet_spending', {}, {});
  }

  private instruction(name: string, accounts: Accounts, args: object): TransactionInstruction {
    const { address: fleet, policy, creator, operator, chain } = this;
    const own = { fleet, policy, creator: creator.publicKey, operator: operator.publicKey, payer: chain.feePayer.publicKey };
    return instruction(PROGRAM_ID, name, { ...own, ...accounts }, args);
  }

  // Members

  /** An account that joined, with the policy that it had before. */
  aMember(options: AccountOptions = {}): TestAccount {
    const account = anAccount(this.chain, { operator: this.operator, ...options });
    this.chain.run(this.join(account));
    account.fleet = this;
    return account;
  }

  /** An account that is created in the fleet, without a policy of its own. */
  aCreatedMember(options: AccountOptions = {}): TestAccount {
    const account = aPlan(this.chain, { operator: this.operator, ...options });
    this.chain.run(this.createIn(account));
    this.chain.setTokens(account.tokenAccount, { amount: options.balance ?? 1_000n });
    [account.fleet, account.hasOwnPolicy] = [this, false];
    return account;
  }

  createIn(account: TestAccount, accounts: Accounts = {}): TransactionInstruction {
    return account.create({ policy: undefined, fleet: this.address, fleet_signer: this.operator.publicKey, ...accounts });
  }

  // State

  /** The fleet's fields, those of its tally among them. */
  read(): Record<string, unknown> {
    const { tally, ...fields } = plain(coder.accounts.decode('Fleet', this.chain.account(this.address).data)) as Record<string, object>;
    return { ...fields, ...tally };
  }

  readPolicy(): ChainPolicy {
    return decodePolicy(this.chain.account(this.policy).data);
  }

  /** What the members spent in the two windows and ever, and what they reserve, in micro-USDC. */
  books(): { reserved: bigint; day: bigint; month: bigint; lifetime: bigint } {
    const { reserved, lifetime, window, month } = this.read();
    const spent = (ring: unknown) => (ring as { spent: bigint }).spent;
    return { reserved: reserved as bigint, day: spent(window), month: spent(month), lifetime: lifetime as bigint };
  }
}

/** A fleet without limits, with a guardian, by default. */
export function aFleet(chain: TestChain, options: FleetOptions = {}): TestFleet {
  const fleet = new TestFleet(chain, options);
  chain.run(fleet.create());
  if (options.policy) chain.run(fleet.setPolicy(options.policy));
  return fleet;
}

/** A simulated order's error, and the numbers of the rule that declines it. */
export function violation(account: TestAccount, order: Parameters<TestAccount['transfer']>[0]): Record<string, unknown> {
  const { error, events } = account.chain.simulate(account.transfer(order));
  return { error, ...events.find(({ name }) => name === 'PolicyViolated')?.data };
}
