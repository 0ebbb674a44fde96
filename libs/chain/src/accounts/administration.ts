/** Keys of accounts, and their closing. */
import { PublicKey, SYSVAR_INSTRUCTIONS_PUBKEY } from '@solana/web3.js';
import { ChainOutcomeUnknownError, ChainRefusedError, ChainUnavailableError } from '../chain.errors';
import type { ChainHistory } from '../history/history';
import type { Addresses } from '../program/addresses';
import { COMPUTE_UNITS } from '../program/compute-units';
import { findEvent } from '../program/events';
import { decodeFields, toBigint } from '../program/idl';
import { instruction, signsToo } from '../program/instruction';
import type { Rpc } from '../rpc/client';
import { landedOrThrow } from '../tx/executed';
import type { Runner } from '../tx/runner';
import type { Signer } from '../tx/signing/signer';
import { type Acceptance, verifyAcceptance } from './acceptance';
import { decodeAccount, isClosed } from './account-data';
import type { FleetOf } from './fleet-of';
import type { AccountClosing, ChainAccount } from './account.types';

/** Accounts whose operator is replaced in one transaction: so many fit 1,232 bytes beside two signatures and an acceptance. */
export const MAX_HANDED_OVER = 6;

/**
 * Each instruction changes an account as a whole and may be repeated. All throw ChainOutcomeUnknownError if the change may still take
 * effect, ChainUnavailableError if nothing was sent, and ChainRefusedError with the program's reason.
 */
export class ChainAdministration {
  constructor(
    private readonly rpc: Rpc,
    private readonly runner: Runner,
    private readonly addresses: Addresses,
    private readonly history: ChainHistory,
    private readonly fleets: FleetOf,
  ) {}

  /** Replaces the authority. Ends an open charge, because the old authority may know its delegate's key. */
  async rotateAuthority(address: string, newAuthority: string, operator: Signer): Promise<{ slot: number }> {
    const account = new PublicKey(address);
    const token_account = this.addresses.tokenAccount(account);
    const accounts = { account, operator: new PublicKey(operator.address), token_account, fleet: await this.fleets.of(address) };
    return this.execute(
      'rotate_authority',
      accounts,
      { new_authority: new PublicKey(newAuthority) },
      COMPUTE_UNITS.keyChange,
      [operator],
      (account) => account?.authority === newAuthority,
    );
  }

  /**
   * Replaces the operator of accounts outside of fleets that obey the same one, in one transaction, and ends their open charges. The new
   * operator signs too, or has accepted before, so that
   * an account is never given to a key without a holder. At most `MAX_HANDED_OVER` accounts.
   */
  async setOperator(addresses: string[], oldOperator: Signer, newOperator: Signer | Acceptance): Promise<{ slot: number }> {
    const acceptance = 'text' in newOperator ? newOperator : undefined;
    const instructions = addresses.map((address) => {
      const account = new PublicKey(address);
      const accounts = {
        account,
        operator: new PublicKey(oldOperator.address),
        new_operator: new PublicKey(newOperator.address),
        instructions: acceptance && SYSVAR_INSTRUCTIONS_PUBKEY,
        token_account: this.addresses.tokenAccount(account),
      };
      const setOperator = instruction(this.addresses.programId, 'set_operator', accounts, {});
      // The interface declares no signature of the new operator, because it may have accepted instead.
      if (!acceptance) signsToo(setOperator, accounts.new_operator);
      return setOperator;
    });
    const isShown = async (minContextSlot: number): Promise<boolean> => {
      const infos = await this.rpc.accounts(addresses, minContextSlot);
      return infos.every((info, index) => !info || decodeAccount(addresses[index] ?? '', info.data)?.controller === newOperator.address);
    };
    const signers = 'sign' in newOperator ? [oldOperator, newOperator] : [oldOperator];
    const verified = acceptance ? [verifyAcceptance(acceptance), ...instructions] : instructions;
    const executed = await this.runner.execute(verified, addresses.length * COMPUTE_UNITS.keyChange, signers, isShown);
    return { slot: landedOrThrow(executed, 'set_operator').slot };
  }

  /**
   * Closes an account permanently. Its money moves to the token account `destination`; its rent goes back to the rent payer. Throws
   * `account_in_use` while a session is open or owes, money is reserved, or money is left and there is no destination.
   */
  closeAccount(
    { address, tokenAccount, creator, fleet, hasOwnPolicy }: ChainAccount,
    destination: string | null,
    operator: Signer,
  ): Promise<{ slot: number }> {
    const account = new PublicKey(address);
    const accounts = {
      account,
      ...this.addresses.governing({ address, fleet, hasOwnPolicy }),
      operator: new PublicKey(operator.address),
      token_account: new PublicKey(tokenAccount),
      mint: this.addresses.mint,
      creator: new PublicKey(creator),
      destination: destination === null ? undefined : new PublicKey(destination),
    };
    return this.execute('close_account', accounts, {}, COMPUTE_UNITS.closeAccount, [operator], (account) => account === null);
  }

  /** The closing of an account, by the program's event. @throws ChainUnavailableError if the node does not have it yet. */
  async closing(address: string): Promise<AccountClosing> {
    const event = await this.history.findEvent(address, 'AccountClosed', ({ account }) => account.toBase58() === address);
    if (!event) throw new ChainUnavailableError(`the node does not have the closing of ${address} yet`);
    return { signature: event.signature, swept: toBigint(event.data.swept), destination: event.data.destination.toBase58() };
  }

  /**
   * Moves what arrived at a closed account, which its creator and id name, to a token account. Its last operator signs; `operatorOf` returns
   * its signer by address.
   * @throws ChainRefusedError `amount_zero` if it holds nothing, `wrong_token_account` if its token account does not exist either.
   */
  async sweepClosed(
    { creator, id }: { creator: string; id: Uint8Array },
    destination: string,
    operatorOf: (address: string) => Promise<Signer>,
  ): Promise<{ signature: string; microUsdc: bigint }> {
    const { address: account, bump } = this.addresses.accountWithBump(new PublicKey(creator), id);
    const controller = await this.closedController(account.toBase58());
    const fleetOperator = await this.fleets.operatorOf(controller);
    const operator = await operatorOf(fleetOperator ?? controller);
    const accounts = {
      account,
      fleet: fleetOperator === null ? undefined : new PublicKey(controller),
      operator: new PublicKey(operator.address),
      token_account: this.addresses.tokenAccount(account),
      mint: this.addresses.mint,
      destination: new PublicKey(destination),
    };
    const sweep = instruction(this.addresses.programId, 'sweep_closed_account', accounts, {
      args: { creator: new PublicKey(creator), id: [...id], bump },
    });
    const executed = await this.runner.execute([sweep], COMPUTE_UNITS.sweepClosedAccount, [operator]);
    const { signature } = landedOrThrow(executed, 'sweep_closed_account');
    const events = await this.history.eventsOf(signature);
    const swept = findEvent(events, 'AccountSwept', (event) => event.account.equals(account));
    if (!swept) throw new ChainOutcomeUnknownError(`${signature} is reported as landed and has no event of what it swept`);
    return { signature, microUsdc: toBigint(swept.amount) };
  }

  /** The operator of a closed account, or the fleet of which it was a member. @throws ChainRefusedError `not_closed` */
  private async closedController(address: string): Promise<string> {
    const [info] = await this.rpc.accounts([address]);
    if (!info || !isClosed(info.data)) throw new ChainRefusedError('not_closed', `${address} is not a closed account`);
    return decodeFields('ClosedAccount', info.data).controller.toBase58();
  }

  /** `isShown` gets the account as it is afterwards; null for a closed one. */
  private async execute(
    name: string,
    accounts: Record<string, PublicKey | undefined> & { account: PublicKey },
    args: object,
    computeUnits: number,
    signers: Signer[],
    isShown: (account: ChainAccount | null) => boolean,
  ): Promise<{ slot: number }> {
    const address = accounts.account.toBase58();
    const readAndCheck = async (minContextSlot: number) => {
      const [info] = await this.rpc.accounts([address], minContextSlot);
      return isShown(info ? decodeAccount(address, info.data) : null);
    };
    const instructions = [instruction(this.addresses.programId, name, accounts, args)];
    const { slot } = landedOrThrow(await this.runner.execute(instructions, computeUnits, signers, readAndCheck), name);
    return { slot };
  }
}
