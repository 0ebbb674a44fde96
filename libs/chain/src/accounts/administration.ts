import { PublicKey, SYSVAR_CLOCK_PUBKEY, type AccountInfo } from '@solana/web3.js';
import type { ChainHistory } from '../history/history';
import { ChainOutcomeUnknownError, ChainRefusedError, ChainUnavailableError } from '../chain.errors';
import type { AccountClosing, ChainAccount } from './account.types';
import type { Signer } from '../tx/signer';
import { decodeAccount, isClosed } from './account-data';
import { unixSecondsOf } from '../rpc/clock';
import { COMPUTE_UNITS } from '../program/compute-units';
import { decodePolicy } from '../policy/policy-data';
import { coder, toBigint } from '../program/idl';
import { instruction } from '../program/instruction';
import type { Addresses } from '../program/addresses';
import type { Rpc } from '../rpc/client';
import type { Runner } from '../tx/runner';

/** After so long the program lets anybody close a draft; `DRAFT_LIFETIME_SECONDS` of the program. */
const DRAFT_LIFETIME_SECONDS = 3_600n;
/** Where a draft names who paid for it: behind the discriminator and its account's address. */
const DRAFT_RENT_PAYER_OFFSET = 40;
/** What an earlier version left of a closed account: the discriminator alone. */
const CLOSED_BYTES_BEFORE = 8;
/** Drafts closed in one go; the next one finds the rest. */
const MAX_DRAFTS = 100;

/**
 * Who signs for an account, and its end. Each changes the account as a whole and may be repeated.
 * All throw ChainOutcomeUnknownError when the change may still take effect, ChainUnavailableError when nothing was sent, and
 * ChainRefusedError with the program's reason.
 */
export class ChainAdministration {
  constructor(
    private readonly rpc: Rpc,
    private readonly runner: Runner,
    private readonly addresses: Addresses,
    private readonly feePayer: PublicKey,
    private readonly history: ChainHistory,
  ) {}

  /** Another key spends from now on. An open charge ends, for the old authority may know its key. */
  rotateAuthority(address: string, newAuthority: string, operator: Signer): Promise<{ slot: number }> {
    const account = new PublicKey(address);
    const accounts = { account, operator: new PublicKey(operator.address), token_account: this.addresses.tokenAccount(account) };
    return this.execute(
      'rotate_authority',
      accounts,
      { new_authority: new PublicKey(newAuthority) },
      COMPUTE_UNITS.keyChange,
      [operator],
      (account) => account?.authority === newAuthority,
    );
  }

  /** Another key sets the policy from now on. Both sign: nobody is locked out by a key that he does not hold. */
  setOperator(address: string, oldOperator: Signer, newOperator: Signer): Promise<{ slot: number }> {
    const accounts = {
      account: new PublicKey(address),
      operator: new PublicKey(oldOperator.address),
      new_operator: new PublicKey(newOperator.address),
    };
    return this.execute(
      'set_operator',
      accounts,
      {},
      COMPUTE_UNITS.keyChange,
      [oldOperator, newOperator],
      (account) => account?.operator === newOperator.address,
    );
  }

  /**
   * Closes an account for good. What it holds moves to the token account `destination`; its rent goes back to who paid it. Refused as
   * `account_in_use` while a session is open or owes, money is reserved, or money is left and there is no destination.
   */
  closeAccount(
    { address, tokenAccount, creator, mint }: ChainAccount,
    destination: string | null,
    operator: Signer,
  ): Promise<{ slot: number }> {
    const account = new PublicKey(address);
    const accounts = {
      account,
      policy: this.addresses.policy(account),
      operator: new PublicKey(operator.address),
      token_account: new PublicKey(tokenAccount),
      mint: new PublicKey(mint),
      creator: new PublicKey(creator),
      destination: destination === null ? undefined : new PublicKey(destination),
    };
    return this.execute('close_account', accounts, {}, COMPUTE_UNITS.closeAccount, [operator], (account) => account === null);
  }

  /** How an account was closed, by the program's event. @throws ChainUnavailableError where the node does not have it yet. */
  async closing(address: string): Promise<AccountClosing> {
    const event = await this.history.findEvent(address, ({ name, data }) => name === 'AccountClosed' && String(data.account) === address);
    if (!event) throw new ChainUnavailableError(`the node does not have the closing of ${address} yet`);
    return { signature: event.signature, swept: toBigint(event.data.swept), destination: String(event.data.destination) };
  }

  /**
   * Moves what arrived at a closed account to a token account, by the signature of its last operator.
   * @throws ChainRefusedError `amount_zero` where nothing is there, `wrong_token_account` where its token account is not there either.
   */
  async sweepClosed(
    address: string,
    tokenAccount: string,
    destination: string,
    operatorOf: (address: string) => Promise<Signer>,
  ): Promise<{ signature: string; microUsdc: bigint }> {
    const account = new PublicKey(address);
    const operator = await operatorOf(await this.closedOperator(address));
    const accounts = {
      account,
      operator: new PublicKey(operator.address),
      token_account: new PublicKey(tokenAccount),
      mint: this.addresses.mint,
      destination: new PublicKey(destination),
    };
    const outcome = await this.runner.execute(
      [instruction(this.addresses.programId, 'sweep_closed_account', accounts, {})],
      COMPUTE_UNITS.sweepClosedAccount,
      [operator],
    );
    if (outcome.kind !== 'landed')
      throw new ChainRefusedError(outcome.kind === 'failed' ? outcome.failure.reason : outcome.refusal.rule, 'sweep_closed_account');
    const event = (await this.history.eventsOf(outcome.signature)).find(
      ({ name, data }) => name === 'AccountSwept' && String(data.account) === address,
    );
    if (!event) throw new ChainOutcomeUnknownError(`${outcome.signature} is said to have landed, and does not show what it swept`);
    return { signature: outcome.signature, microUsdc: toBigint(event.data.amount) };
  }

  /** The operator of a closed account. @throws ChainRefusedError `not_closed`; also for one that an earlier version closed, which keeps none. */
  private async closedOperator(address: string): Promise<string> {
    const [info] = await this.rpc.accounts([address]);
    if (!info || !isClosed(info.data) || info.data.length <= CLOSED_BYTES_BEFORE)
      throw new ChainRefusedError('not_closed', `${address} is not a closed account with an operator`);
    return String(coder.accounts.decode('ClosedAccount', info.data).operator);
  }

  /**
   * Closes drafts of policy changes that were never made, of those that our fee payer paid for: the stale ones, and those of
   * accounts that were closed since. Says how many.
   */
  async closeStaleDrafts(): Promise<number> {
    const drafts = (await this.drafts()).slice(0, MAX_DRAFTS);
    if (drafts.length === 0) return 0;
    const policies = drafts.map(({ account }) => this.addresses.policy(account));
    const [clock, ...infos] = await this.rpc.accounts([SYSVAR_CLOCK_PUBKEY, ...policies].map((key) => key.toBase58()));
    const accountInfos = await this.rpc.accounts(drafts.map(({ account }) => account.toBase58()));
    const now = unixSecondsOf(clock);
    let closed = 0;
    for (const [index, { draft, account, targetVersion, createdAt }] of drafts.entries()) {
      const [info, accountInfo]: (AccountInfo<Buffer> | null | undefined)[] = [infos[index], accountInfos[index]];
      const isStale = info && (targetVersion <= decodePolicy(info.data).version || now - createdAt >= DRAFT_LIFETIME_SECONDS);
      if (!isStale && !(accountInfo && isClosed(accountInfo.data))) continue;
      const accounts = { account, policy: this.addresses.policy(account), draft, rent_payer: this.feePayer, closer: this.feePayer };
      await this.execute('close_policy_draft', accounts, {}, COMPUTE_UNITS.policyDraft, []);
      closed++;
    }
    return closed;
  }

  private async drafts(): Promise<{ draft: PublicKey; account: PublicKey; targetVersion: bigint; createdAt: bigint }[]> {
    const filters = [coder.accounts.memcmp('PolicyDraft'), { offset: DRAFT_RENT_PAYER_OFFSET, bytes: this.feePayer.toBase58() }];
    const found = await this.rpc.read('no drafts', (connection) =>
      connection.getProgramAccounts(this.addresses.programId, { filters: filters.map((memcmp) => ({ memcmp })) }),
    );
    return found.map(({ pubkey, account: { data } }) => {
      const { account, target_version: targetVersion, created_at: createdAt } = coder.accounts.decode('PolicyDraft', data);
      return { draft: pubkey, account, targetVersion: toBigint(targetVersion), createdAt: toBigint(createdAt) };
    });
  }

  /** `isShown` by the account as it stands afterwards; null for a closed one. */
  private async execute(
    name: string,
    accounts: Record<string, PublicKey | undefined> & { account: PublicKey },
    args: object,
    computeUnits: number,
    signers: Signer[],
    isShown?: (account: ChainAccount | null) => boolean,
  ): Promise<{ slot: number }> {
    const address = accounts.account.toBase58();
    const look =
      isShown &&
      (async (slot: number) => {
        const [info] = await this.rpc.accounts([address], slot);
        return isShown(info ? decodeAccount(address, info.data) : null);
      });
    const outcome = await this.runner.execute([instruction(this.addresses.programId, name, accounts, args)], computeUnits, signers, look);
    switch (outcome.kind) {
      case 'landed':
        return { slot: outcome.slot };
      case 'failed':
        throw new ChainRefusedError(outcome.failure.reason, `${name}: ${outcome.failure.detail}`);
      case 'refused':
        throw new ChainRefusedError(outcome.refusal.rule, name);
    }
  }
}
