import { createHash } from 'node:crypto';
import { MINT_SIZE, TOKEN_PROGRAM_ID, createMintToInstruction, unpackAccount, unpackMint } from '@solana/spl-token';
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { ChainAdministration } from './accounts/administration';
import { ChainCharges } from './charges/charges';
import { ChainHistory } from './history/history';
import { ChainSessions } from './sessions/sessions';
import { ChainMismatchError, ChainOutcomeUnknownError, ChainRefusedError } from './chain.errors';
import type { AccountAddresses } from './program/addresses';
import type { ChainAccount, Spending } from './accounts/account.types';
import type { ChainIdentity } from './rpc/clusters';
import type { ChainPolicy, PolicyChange, PolicyChangeOutcome } from './policy/policy.types';
import type { Outcome, SignedTransaction, Verdict } from './tx/tx.types';
import type { Recipient, TransferOrder } from './orders/order.types';
import type { Signer } from './tx/signer';
import { decodeAccount, decodeSpending, hasSpent } from './accounts/account-data';
import { advanceClock } from './rpc/clock';
import { CLUSTERS, DEFAULT_USDC_MINTS } from './rpc/clusters';
import { COMPUTE_UNITS } from './program/compute-units';
import { ENTRY_BYTES, categoryEntry } from './policy/list-entries';
import { webSocketUrlOf } from './rpc/subscription';
import type { SettlementCommitment } from './tx/tx.types';
import { decodePolicy, isPauseAlone, listEntries, setPolicyArgs } from './policy/policy-data';
import { Addresses } from './program/addresses';
import { PROGRAM_ID, USDC_DECIMALS, toBn } from './program/idl';
import { instruction } from './program/instruction';
import { Rpc } from './rpc/client';
import { Runner } from './tx/runner';

/** List entries that fit into a transaction of 1,232 bytes beside two signatures, ten accounts, a price for units and every other field. */
const MAX_INLINE_ENTRIES = 20;
/** Bytes of draft content in one transaction: beside two signatures and six accounts 830 are left. */
const DRAFT_CHUNK_BYTES = 24 * ENTRY_BYTES;
export interface ChainOptions {
  rpcUrls: string[];
  webSocketUrl?: string;
  /** Default: the one that the committed program was built with. */
  programId?: string;
  /** Default: the real USDC of the cluster. */
  usdcMint?: string;
  /** Pays lamports; may do nothing else. */
  feePayer: Signer;
  /** Where the service controls the mint (sandbox). */
  mintAuthority?: Signer;
  settlementCommitment: SettlementCommitment;
  /** For one RPC call, over all addresses. */
  rpcTimeoutMs: number;
  microLamportsPerComputeUnit: bigint;
  /** How long an instruction outside of the transfer path may take to settle. */
  adminTimeoutMs?: number;
}

/** The one port to the chain, in the service's words. Everything Solana stays behind it. */
export class Chain {
  /** What happened, read back from the chain. */
  readonly history: ChainHistory;
  /** Changes of keys, and the end of accounts. */
  readonly administration: ChainAdministration;
  /** Caps in escrow, paid out by vouchers. */
  readonly sessions: ChainSessions;
  /** Single payments through a delegate. */
  readonly charges: ChainCharges;
  private readonly runner: Runner;
  private readonly addresses: Addresses;
  private readonly feePayer: PublicKey;

  private constructor(
    private readonly options: ChainOptions,
    private readonly rpc: Rpc,
    /** Where we are, and with what. */
    readonly identity: ChainIdentity,
  ) {
    this.addresses = new Addresses(new PublicKey(identity.programId), new PublicKey(identity.usdcMint));
    this.history = new ChainHistory(rpc, this.addresses, options.settlementCommitment);
    this.runner = new Runner(rpc, this.addresses.programId, {
      feePayer: options.feePayer,
      commitment: options.settlementCommitment,
      microLamportsPerUnit: options.microLamportsPerComputeUnit,
      timeoutMs: options.adminTimeoutMs,
      webSocketUrl: options.webSocketUrl ?? webSocketUrlOf(options.rpcUrls[0] ?? ''),
      // Every transaction of the service mentions one of these.
      mentions: options.mintAuthority ? [identity.programId, identity.usdcMint] : [identity.programId],
    });
    this.feePayer = new PublicKey(options.feePayer.address);
    this.administration = new ChainAdministration(rpc, this.runner, this.addresses, this.feePayer, this.history);
    this.sessions = new ChainSessions(rpc, this.runner, this.addresses, this.history, this.feePayer);
    this.charges = new ChainCharges(rpc, this.runner, this.addresses, this.history, options);
  }

  /**
   * Looks where the nodes are and whether the program and the mint are there.
   * @throws ChainMismatchError when they are not what a payment service needs; ChainUnavailableError.
   */
  static async connect(options: ChainOptions): Promise<Chain> {
    const rpc = new Rpc({ urls: options.rpcUrls, commitment: 'confirmed', timeoutMs: options.rpcTimeoutMs });
    const genesisHash = await rpc.read('no genesis hash', (connection) => connection.getGenesisHash());
    const cluster = CLUSTERS[genesisHash] ?? 'localnet';
    const usdcMint = options.usdcMint ?? DEFAULT_USDC_MINTS[cluster];
    if (!usdcMint) throw new ChainMismatchError(`USDC_MINT must be set: there is no USDC of its own on ${cluster}`);
    const programId = options.programId ?? PROGRAM_ID.toBase58();
    const chain = new Chain(options, rpc, { genesisHash, cluster, programId, usdcMint });
    await chain.check();
    chain.runner.listen();
    return chain;
  }

  /** Whether any node answers. */
  async isReachable(): Promise<boolean> {
    return this.rpc
      .read('no slot', (connection) => connection.getSlot())
      .then(
        () => true,
        () => false,
      );
  }

  /** Ends the subscription. What still waits is found by polling. */
  close(): void {
    this.runner.close();
  }

  private async check(): Promise<void> {
    const { programId, usdcMint } = this.identity;
    const [program, mint] = await this.rpc.accounts([programId, usdcMint]);
    if (!program?.executable) throw new ChainMismatchError(`there is no program at ${programId} (PROGRAM_ID)`);
    if (!mint?.owner.equals(TOKEN_PROGRAM_ID) || mint.data.length !== MINT_SIZE)
      throw new ChainMismatchError(`${usdcMint} (USDC_MINT) is no mint of the classic Token program`);
    const { decimals } = unpackMint(new PublicKey(usdcMint), mint);
    if (decimals !== USDC_DECIMALS)
      throw new ChainMismatchError(`the mint ${usdcMint} has ${decimals} decimals, USDC has ${USDC_DECIMALS}`);
  }

  /** Whether the service can mint: only where the mint is its own. */
  get controlsMint(): boolean {
    return this.options.mintAuthority !== undefined;
  }

  /** The key that pays for transactions, and what it holds. */
  async feePayerLamports(): Promise<bigint> {
    return BigInt(await this.rpc.read('no balance of the fee payer', (connection) => connection.getBalance(this.feePayer)));
  }

  // ---- accounts

  /** Where an account with this 16-byte id lies, created or not. Pure. */
  planAccount(id: Uint8Array): AccountAddresses & { creator: string } {
    return { ...this.addresses.account(this.feePayer, id), creator: this.options.feePayer.address };
  }

  /**
   * Creates the account that `planAccount(id)` named, or finds it created with this authority; its operator may have changed since.
   * @throws ChainOutcomeUnknownError when the transaction may still land: call again. ChainUnavailableError: nothing was sent.
   */
  async createAccount({ id, operator, authority }: { id: Uint8Array; operator: string; authority: string }): Promise<void> {
    const { address, tokenAccount } = this.planAccount(id);
    const account = new PublicKey(address);
    const isThere = async (minContextSlot = 0) => {
      const [existing = null] = await this.accounts([address], minContextSlot);
      if (existing && existing.authority !== authority)
        throw new ChainRefusedError('account_taken', `${address} exists with another authority`);
      return existing !== null;
    };
    if (await isThere()) return;
    const create = this.instruction(
      'create_account',
      {
        account,
        policy: this.addresses.policy(account),
        token_account: new PublicKey(tokenAccount),
        mint: this.addresses.mint,
        creator: this.feePayer,
      },
      { args: { id: [...id], operator: new PublicKey(operator), authority: new PublicKey(authority) } },
    );
    const outcome = await this.runner.execute([create], COMPUTE_UNITS.createAccount, [], isThere);
    if (outcome.kind !== 'landed' && !(await isThere()))
      throw new ChainRefusedError('create_account', JSON.stringify(outcome, bigintAsText));
  }

  /** The account at `address`, or null when there is none (or only a closed one). */
  async account(address: string): Promise<ChainAccount | null> {
    return (await this.accounts([address]))[0] ?? null;
  }

  /** Many accounts, a hundred a request, by a node that has reached `minContextSlot`; null where there is none. */
  async accounts(addresses: string[], minContextSlot = 0): Promise<(ChainAccount | null)[]> {
    const infos = await this.rpc.accounts(addresses, minContextSlot);
    return infos.map((info, index) =>
      info?.owner.equals(this.addresses.programId) ? decodeAccount(addresses[index] ?? '', info.data) : null,
    );
  }

  /** Micro-USDC in each token account, null where there is none, by a node that has reached `minContextSlot`. One request per hundred. */
  async balances(tokenAccounts: string[], minContextSlot = 0): Promise<(bigint | null)[]> {
    const infos = await this.rpc.accounts(tokenAccounts, minContextSlot);
    return infos.map((info, index) => (info ? unpackAccount(new PublicKey(tokenAccounts[index] ?? ''), info).amount : null));
  }

  /** What may still be spent, and when what was spent comes free. */
  async spending({ address, tokenAccount }: AccountAddresses, minContextSlot: number): Promise<Spending> {
    const account = new PublicKey(address);
    const view = this.instruction(
      'spending',
      { account, policy: this.addresses.policy(account), token_account: new PublicKey(tokenAccount) },
      {},
    );
    const { err, logs, returnData } = await this.runner.simulate([view], COMPUTE_UNITS.spending, minContextSlot);
    if (err || !returnData) throw new ChainRefusedError('spending', JSON.stringify(err ?? logs));
    return decodeSpending(Buffer.from(returnData.data[0], 'base64'));
  }

  // ---- policy

  /** @throws ChainRefusedError when there is no such account. */
  async policy(address: string): Promise<ChainPolicy> {
    const [policy] = await this.policies([address]);
    if (!policy) throw new ChainRefusedError('no_policy', `${address} has no policy`);
    return policy;
  }

  /** The policies of many accounts, null where there is none, by a node that has reached `minContextSlot`. */
  async policies(accounts: string[], minContextSlot = 0): Promise<(ChainPolicy | null)[]> {
    const addresses = accounts.map((address) => this.addresses.policy(new PublicKey(address)).toBase58());
    const infos = await this.rpc.accounts(addresses, minContextSlot);
    return infos.map((info) => (info?.owner.equals(this.addresses.programId) ? decodePolicy(info.data) : null));
  }

  /**
   * Changes the named fields, if the policy still has the version that was read; pausing alone goes without.
   * @throws ChainOutcomeUnknownError when the change may still take effect.
   */
  async changePolicy(address: string, change: PolicyChange, expectedVersion: bigint, operator: Signer): Promise<PolicyChangeOutcome> {
    const creator = await this.creatorOf(address);
    const setPolicy = (draft?: PublicKey) =>
      this.instruction(
        'set_policy',
        {
          ...this.policyAccounts(address, operator),
          rent_recipient: creator,
          draft,
          draft_rent_recipient: draft && this.feePayer,
          // Pausing stops a charge that may be open.
          token_account: change.paused ? this.addresses.tokenAccount(new PublicKey(address)) : undefined,
        },
        { args: setPolicyArgs(change, isPauseAlone(change) ? null : expectedVersion, draft !== undefined) },
      );
    const { counterparties, categories } = listEntries(change);
    const isLarge = counterparties.length + categories.length > MAX_INLINE_ENTRIES;
    const draft = isLarge ? await this.stage(address, change, expectedVersion + 1n, operator) : undefined;
    const isShown = async (slot: number) => {
      const [policy] = await this.policies([address], slot);
      return !!policy && (policy.version > expectedVersion || (isPauseAlone(change) && policy.paused));
    };
    const outcome = await this.runner.execute([setPolicy(draft)], COMPUTE_UNITS.setPolicy, [operator], isShown);
    if (outcome.kind === 'landed') return { kind: 'changed', slot: outcome.slot };
    // A draft that vanished was committed by the same change made elsewhere, which moved the version too.
    if (
      outcome.kind === 'failed' &&
      ['policy_version_mismatch', 'wrong_operator', 'wrong_draft', 'error_3012'].includes(outcome.failure.reason)
    )
      return { kind: 'version_mismatch' };
    throw new ChainRefusedError('set_policy', JSON.stringify(outcome, bigintAsText));
  }

  /** Puts lists that are too long for one transaction into a draft, named after its content. Repeating it is harmless. */
  private async stage(address: string, change: PolicyChange, targetVersion: bigint, operator: Signer): Promise<PublicKey> {
    const { counterparties, categories } = listEntries(change);
    const content = Buffer.concat([...counterparties, ...categories]);
    const contentHash = createHash('sha256').update(content).digest();
    const draft = this.addresses.draft(new PublicKey(address), targetVersion, contentHash);
    const accounts = { ...this.policyAccounts(address, operator), draft };
    if ((await this.rpc.accounts([draft.toBase58()]))[0] === null) {
      const create = this.instruction('create_policy_draft', accounts, {
        args: {
          target_version: toBn(targetVersion),
          content_hash: [...contentHash],
          counterparty_count: counterparties.length,
          category_count: categories.length,
        },
      });
      await this.runner.execute([create], COMPUTE_UNITS.policyDraft, [operator]); // fails where the same change was staged meanwhile
    }
    const chunks = Array.from({ length: Math.ceil(content.length / DRAFT_CHUNK_BYTES) }, (_, index) => index * DRAFT_CHUNK_BYTES);
    await Promise.all(
      chunks.map((offset) =>
        this.runner.execute(
          [this.instruction('write_policy_draft', accounts, { offset, content: content.subarray(offset, offset + DRAFT_CHUNK_BYTES) })],
          COMPUTE_UNITS.policyDraft,
          [operator],
        ),
      ),
    );
    return draft;
  }

  private policyAccounts(address: string, operator: Signer): Record<string, PublicKey> {
    const account = new PublicKey(address);
    return { account, policy: this.addresses.policy(account), operator: new PublicKey(operator.address), payer: this.feePayer };
  }

  private async creatorOf(address: string): Promise<PublicKey> {
    const account = await this.account(address);
    if (!account) throw new ChainRefusedError('no_account', `there is no account at ${address}`);
    return new PublicKey(account.creator);
  }

  // ---- transfers

  /** Whether an address can receive USDC. */
  async recipient(address: string): Promise<Recipient> {
    const [info] = await this.rpc.accounts([address]);
    if (!info) return { kind: 'invalid', reason: 'there is no account at this address' };
    if (!info.owner.equals(TOKEN_PROGRAM_ID))
      return { kind: 'invalid', reason: 'this address is not a token account; a wallet receives at its USDC token account' };
    try {
      const { mint, owner, isInitialized, isFrozen } = unpackAccount(new PublicKey(address), info);
      if (!isInitialized) return { kind: 'invalid', reason: 'this token account is not initialised' };
      if (!mint.equals(this.addresses.mint)) return { kind: 'invalid', reason: 'this token account holds another mint than USDC' };
      if (isFrozen) return { kind: 'invalid', reason: 'this token account is frozen' };
      return { kind: 'token_account', owner: owner.toBase58() };
    } catch {
      return { kind: 'invalid', reason: 'this address is not a token account' };
    }
  }

  /**
   * The program's verdict on a transfer: the transaction that would be sent, simulated with the number `seq`.
   * @throws ChainUnavailableError also when every node is behind `minContextSlot`.
   */
  async judge(order: TransferOrder, seq: bigint, minContextSlot: number): Promise<Verdict> {
    return this.runner.judge([this.transfer(order, seq)], COMPUTE_UNITS.transfer, minContextSlot);
  }

  /** Signs a transfer under a recent blockhash. Nothing is sent. */
  async signTransfer(order: TransferOrder, seq: bigint, signers: Signer[]): Promise<SignedTransaction> {
    return this.runner.sign([this.transfer(order, seq)], COMPUTE_UNITS.transfer, signers);
  }

  /** Sends, sends again, and waits for the settlement commitment at most `timeoutMs`. `onSent` hears of the first sending. */
  settle(signed: SignedTransaction, timeoutMs: number, onSent?: () => void): Promise<Outcome> {
    return this.runner.settle(signed, timeoutMs, onSent);
  }

  /**
   * What became of an order that a node says has landed: `landed` once the account shows that it has spent the number `seq`, or the
   * error of the transaction itself; `unknown` when neither is seen within `timeoutMs`. Of a closed account nothing can be said any
   * more, and the node is believed.
   */
  async confirmSpent(
    { signature, slot }: { signature: string; slot: number },
    { address, seq }: { address: string; seq: bigint },
    timeoutMs: number,
  ): Promise<Outcome> {
    const isShown = async (minContextSlot: number): Promise<boolean> => {
      const [info] = await this.rpc.accounts([address], minContextSlot);
      return (info && hasSpent(info.data, seq)) ?? true;
    };
    try {
      return await this.runner.confirmShown(signature, slot, { isShown, deadline: performance.now() + timeoutMs });
    } catch (error) {
      if (error instanceof ChainOutcomeUnknownError) return { kind: 'unknown' };
      throw error;
    }
  }

  /** What became of a transaction sent earlier, history included. `expired` is said only at a finalized height. */
  lookUp(signed: Pick<SignedTransaction, 'signature' | 'lastValidBlockHeight'>): Promise<Outcome> {
    return this.runner.lookUp(signed);
  }

  private transfer(order: TransferOrder, seq: bigint): TransactionInstruction {
    const account = new PublicKey(order.address);
    return this.instruction(
      'transfer',
      {
        account,
        policy: this.addresses.policy(account),
        authority: new PublicKey(order.authority),
        operator: order.approvedBy ? new PublicKey(order.approvedBy) : undefined,
        token_account: new PublicKey(order.tokenAccount),
        mint: this.addresses.mint,
        destination: new PublicKey(order.destination),
      },
      {
        args: {
          seq: toBn(seq),
          transfer_id: [...order.transferId],
          amount: toBn(order.microUsdc),
          category: order.category === null ? null : [...categoryEntry(order.category)],
          memo_hash: order.memoHash === null ? null : [...order.memoHash],
        },
      },
    );
  }

  // ---- test money

  /** Mints test USDC. @throws ChainMismatchError where the mint is not the service's own. */
  async mint(tokenAccount: string, microUsdc: bigint): Promise<{ signature: string; slot: number }> {
    const { mintAuthority } = this.options;
    if (!mintAuthority) throw new ChainMismatchError('this service does not control the mint');
    const mintTo = createMintToInstruction(
      this.addresses.mint,
      new PublicKey(tokenAccount),
      new PublicKey(mintAuthority.address),
      microUsdc,
    );
    // What is paid next must find the money: wait for a node that has reached the slot.
    const isShown = (slot: number) => this.rpc.accounts([tokenAccount], slot).then(() => true);
    const outcome = await this.runner.execute([mintTo], COMPUTE_UNITS.mintTo, [mintAuthority], isShown);
    if (outcome.kind !== 'landed') throw new ChainRefusedError('mint', JSON.stringify(outcome, bigintAsText));
    return outcome;
  }

  /** Moves the embedded chain's clock forward, and says what it shows; null on every other chain. */
  async advanceClock(seconds: number): Promise<Date | null> {
    const { rpcUrls, rpcTimeoutMs } = this.options;
    return this.identity.cluster === 'localnet' ? advanceClock(rpcUrls[0] ?? '', seconds, rpcTimeoutMs) : null;
  }

  // ---- plumbing

  private instruction(name: string, accounts: Record<string, PublicKey | undefined>, args: object): TransactionInstruction {
    return instruction(this.addresses.programId, name, accounts, args);
  }
}

/** Lets `JSON.stringify` write money. */
function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
