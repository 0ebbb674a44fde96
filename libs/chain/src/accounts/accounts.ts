/** Agent accounts: their addresses, creation, state, balances and what they may still spend. */
import { unpackAccount } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { ChainRefusedError } from '../chain.errors';
import type { AccountAddresses, Addresses } from '../program/addresses';
import { COMPUTE_UNITS } from '../program/compute-units';
import { instruction } from '../program/instruction';
import type { Rpc } from '../rpc/client';
import { describe, type Runner } from '../tx/runner';
import { decodeAccount, decodeSpending } from './account-data';
import type { ChainAccount, Spending } from './account.types';

export class ChainAccounts {
  constructor(
    private readonly rpc: Rpc,
    private readonly runner: Runner,
    private readonly addresses: Addresses,
    private readonly feePayer: PublicKey,
  ) {}

  /** The addresses of the account with this 16-byte id, created or not. Pure. */
  plan(id: Uint8Array): AccountAddresses & { creator: string } {
    return { ...this.addresses.account(this.feePayer, id), creator: this.feePayer.toBase58() };
  }

  /**
   * Creates the account that `plan(id)` named. Does nothing if it exists with this authority; its operator may have changed since.
   * @throws ChainRefusedError `account_taken` if it exists with another authority; ChainOutcomeUnknownError if the transaction may
   * still land: call again; ChainUnavailableError if nothing was sent.
   */
  async create({ id, operator, authority }: { id: Uint8Array; operator: string; authority: string }): Promise<void> {
    const { address, tokenAccount } = this.plan(id);
    const account = new PublicKey(address);
    const exists = async (minContextSlot = 0) => {
      const [existing = null] = await this.findMany([address], minContextSlot);
      if (existing && existing.authority !== authority)
        throw new ChainRefusedError('account_taken', `${address} exists with another authority`);
      return existing !== null;
    };
    if (await exists()) return;
    const accounts = {
      account,
      policy: this.addresses.policy(account),
      token_account: new PublicKey(tokenAccount),
      mint: this.addresses.mint,
      creator: this.feePayer,
    };
    const args = { id: [...id], operator: new PublicKey(operator), authority: new PublicKey(authority) };
    const create = instruction(this.addresses.programId, 'create_account', accounts, { args });
    const outcome = await this.runner.execute([create], COMPUTE_UNITS.createAccount, [], exists);
    if (outcome.kind !== 'landed' && !(await exists())) throw new ChainRefusedError('create_account', describe(outcome));
  }

  /** The account at `address`; null if there is none, or a closed one. */
  async find(address: string): Promise<ChainAccount | null> {
    return (await this.findMany([address]))[0] ?? null;
  }

  /** Many accounts, a hundred per request, from a node that has reached `minContextSlot`; null where there is none. */
  async findMany(addresses: string[], minContextSlot = 0): Promise<(ChainAccount | null)[]> {
    const infos = await this.rpc.accounts(addresses, minContextSlot);
    return infos.map((info, index) =>
      info?.owner.equals(this.addresses.programId) ? decodeAccount(addresses[index] ?? '', info.data) : null,
    );
  }

  /** Micro-USDC in each token account, a hundred per request, from a node that has reached `minContextSlot`; null where there is none. */
  async balances(tokenAccounts: string[], minContextSlot = 0): Promise<(bigint | null)[]> {
    const infos = await this.rpc.accounts(tokenAccounts, minContextSlot);
    return infos.map((info, index) => (info ? unpackAccount(new PublicKey(tokenAccounts[index] ?? ''), info).amount : null));
  }

  /** What the account may still spend, and when spent amounts stop counting, by the program's view instruction. */
  async spending({ address, tokenAccount }: AccountAddresses, minContextSlot: number): Promise<Spending> {
    const account = new PublicKey(address);
    const accounts = { account, policy: this.addresses.policy(account), token_account: new PublicKey(tokenAccount) };
    const view = instruction(this.addresses.programId, 'spending', accounts, {});
    const { err, logs, returnData } = await this.runner.simulateRaw([view], COMPUTE_UNITS.spending, minContextSlot);
    if (err || !returnData) throw new ChainRefusedError('spending', JSON.stringify(err ?? logs));
    return decodeSpending(Buffer.from(returnData.data[0], 'base64'));
  }
}
