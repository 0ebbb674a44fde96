/** Rent: its present price, and what accounts and fleets hold above it, which their creator gets back. */
import { ACCOUNT_SIZE } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { decodeFleet, isFleet } from '../fleets/fleet-data';
import { ENTRY_BYTES } from '../policy/list-entries';
import { POLICY_HEADER_BYTES } from '../policy/policy-data';
import type { Addresses } from '../program/addresses';
import { COMPUTE_UNITS } from '../program/compute-units';
import { coder } from '../program/idl';
import { instruction } from '../program/instruction';
import type { Rpc } from '../rpc/client';
import { landedOrThrow } from '../tx/executed';
import type { Runner } from '../tx/runner';
import { decodeAccount, isClosed } from './account-data';

/** Bytes that the runtime counts for every account beside its data; `ACCOUNT_STORAGE_OVERHEAD` of Solana. */
export const OVERHEAD_BYTES = 128;
/** Bytes of data on chain: of an account, its token account, a policy without lists, and a list entry. */
export const DATA_BYTES = {
  account: coder.accounts.size('AgentAccount'),
  tokenAccount: ACCOUNT_SIZE,
  policy: POLICY_HEADER_BYTES,
  entry: ENTRY_BYTES,
} as const;
/** Owners whose surplus one transaction returns: with three addresses each they fit 1,232 bytes. */
const OWNERS_AT_ONCE = 8;

/** An account or a fleet that holds more than today's rent. */
export interface SurplusRent {
  /** Its address. */
  owner: string;
  /** The payer of the rent, who gets the surplus. */
  creator: string;
  hasPolicy: boolean;
  lamports: bigint;
}

export class ChainRent {
  constructor(
    private readonly rpc: Rpc,
    private readonly runner: Runner,
    private readonly addresses: Addresses,
  ) {}

  /** Lamports of rent for a byte at the chain's present rate. @throws ChainUnavailableError */
  async lamportsPerByte(): Promise<bigint> {
    const empty = await this.rpc.read('no rent', (connection) => connection.getMinimumBalanceForRentExemption(0));
    return BigInt(empty) / BigInt(OVERHEAD_BYTES);
  }

  /** Those among at most 50 accounts and fleets that hold more than the rent of today with their policies. @throws ChainUnavailableError */
  async surplusOf(owners: string[]): Promise<SurplusRent[]> {
    const perByte = await this.lamportsPerByte();
    const policies = owners.map((owner) => this.addresses.policy(new PublicKey(owner)).toBase58());
    const infos = await this.rpc.accounts([...owners, ...policies]);
    const surplusAt = (index: number): bigint => {
      const info = infos[index];
      const surplus = info ? BigInt(info.lamports) - BigInt(OVERHEAD_BYTES + info.data.length) * perByte : 0n;
      return surplus > 0n ? surplus : 0n;
    };
    return owners.flatMap((owner, index) => {
      const data = infos[index]?.data;
      const found = data && !isClosed(data) && (isFleet(data) ? decodeFleet(owner, data) : decodeAccount(owner, data));
      const hasPolicy = infos[owners.length + index]?.owner.equals(this.addresses.programId) ?? false;
      const lamports = surplusAt(index) + (hasPolicy ? surplusAt(owners.length + index) : 0n);
      return found && lamports > 0n ? [{ owner, creator: found.creator, hasPolicy, lamports }] : [];
    });
  }

  /** Returns surplus rent to the creators. Repeating it is harmless. @throws ChainOutcomeUnknownError, ChainRefusedError, ChainUnavailableError */
  async returnSurplus(surplus: SurplusRent[]): Promise<void> {
    for (let start = 0; start < surplus.length; start += OWNERS_AT_ONCE) {
      const instructions = surplus.slice(start, start + OWNERS_AT_ONCE).map(({ owner, creator, hasPolicy }) => {
        const address = new PublicKey(owner);
        const policy = hasPolicy ? this.addresses.policy(address) : undefined;
        const accounts = { owner: address, policy, creator: new PublicKey(creator) };
        return instruction(this.addresses.programId, 'return_surplus_rent', accounts, {});
      });
      const units = instructions.length * COMPUTE_UNITS.returnSurplusRent;
      landedOrThrow(await this.runner.execute(instructions, units, []), 'return_surplus_rent');
    }
  }
}
