/** The fleet of an account, and the operator of a fleet, by the chain. */
import { PublicKey } from '@solana/web3.js';
import type { Addresses } from '../program/addresses';
import { coder, decodeFields } from '../program/idl';
import type { Rpc } from '../rpc/client';
import { decodeAccount, isClosed } from './account-data';
import type { ChainAccount } from './account.types';

const ACCOUNT = coder.accounts.accountDiscriminator('AgentAccount');

export class FleetOf {
  constructor(
    private readonly rpc: Rpc,
    private readonly addresses: Addresses,
  ) {}

  /** The fleet of which an account is a member now; undefined outside of a fleet, and for a fleet. One with a reserved amount cannot change its fleet. */
  async of(account: string): Promise<PublicKey | undefined> {
    const [info] = await this.rpc.accounts([account]);
    if (!info?.owner.equals(this.addresses.programId) || !info.data.subarray(0, ACCOUNT.length).equals(ACCOUNT)) return undefined;
    const fleet = decodeAccount(account, info.data)?.fleet;
    return fleet === undefined ? undefined : new PublicKey(fleet);
  }

  /** The operator of the fleet at an address, also of a closed one; null if there is none: then the address is a key. */
  async operatorOf(address: string): Promise<string | null> {
    const [info] = await this.rpc.accounts([address]);
    if (!info?.owner.equals(this.addresses.programId)) return null;
    if (isClosed(info.data)) return new PublicKey(info.data.subarray(8, 40)).toBase58();
    return decodeFields('Fleet', info.data).operator.toBase58();
  }

  /** The operator of each account: of its fleet, for a member. */
  async operatorsOf(accounts: ChainAccount[], minContextSlot = 0): Promise<string[]> {
    const fleets = [...new Set(accounts.flatMap(({ fleet }) => (fleet === undefined ? [] : [fleet])))];
    const infos = fleets.length === 0 ? [] : await this.rpc.accounts(fleets, minContextSlot);
    const operators = new Map(
      infos.flatMap((info, index) => (info ? [[fleets[index], decodeFields('Fleet', info.data).operator.toBase58()] as const] : [])),
    );
    return accounts.map(({ fleet, controller }) => operators.get(fleet) ?? controller);
  }
}
