/** The one port to the chain, in the service's terms. All of Solana stays behind it. */
import { createMintToInstruction } from '@solana/spl-token';
import { PublicKey, SystemProgram } from '@solana/web3.js';
import { ChainAccounts } from './accounts/accounts';
import { ChainAdministration } from './accounts/administration';
import { ChainRent } from './accounts/rent';
import { FleetOf } from './accounts/fleet-of';
import { ChainMismatchError, ChainRefusedError } from './chain.errors';
import { ChainClock } from './clock';
import { ChainChannelPurses } from './channels/channel-purses';
import { ChainChannels } from './channels/channels';
import { ChainCharges } from './charges/charges';
import { SellerPayments } from './charges/seller-payments';
import { ChainFleets } from './fleets/fleets';
import { ChainHistory } from './history/history';
import { ChainDirectTransfers } from './orders/direct-transfers';
import { ChainOrders } from './orders/orders';
import { ChainPolicies } from './policy/policies';
import { Addresses } from './program/addresses';
import { COMPUTE_UNITS } from './program/compute-units';
import { requireDeployed } from './program/deployed';
import { PROGRAM_ID } from './program/idl';
import { nodeAddress } from './rpc/transport/node-address';
import { Rpc } from './rpc/client';
import type { RpcCallNoted } from './rpc/transport/fetch';
import { advanceClock } from './rpc/clock';
import { CLUSTERS, DEFAULT_USDC_MINTS, type ChainIdentity } from './rpc/clusters';
import { webSocketUrlOf } from './rpc/subscription';
import { OwedSessions } from './sessions/owed-sessions';
import { SessionInstructions } from './sessions/session-instructions';
import { ChainSessions } from './sessions/sessions';
import { ComputeUnitPrice } from './tx/fees/compute-unit-price';
import { FeePayers, type KeyBalance } from './tx/fees/fee-payers';
import { describe, landedOrThrow } from './tx/executed';
import { Runner } from './tx/runner';
import type { Signer } from './tx/signing/signer';
import type { SettlementCommitment } from './tx/tx.types';

export interface ChainOptions {
  rpcUrls: string[];
  /** Nodes that only take transactions: they get each one too. */
  sendUrls?: string[];
  /** Asked for what lands, the next one if one fails. Default: those of `rpcUrls`. */
  webSocketUrls?: string[] | undefined;
  /** Default: the id that the committed program was built with. */
  programId?: string;
  /** Default: the real USDC of the cluster. */
  usdcMint?: string;
  /** Pays lamports only. */
  feePayer: Signer;
  /** Pay for transfers in its place, in turn. */
  feePayers?: Signer[];
  /** One of `feePayers` that holds less, in lamports, pays for nothing. */
  leastFeePayerLamports?: bigint;
  /** Present if the service controls the mint (sandbox). */
  mintAuthority?: Signer;
  settlementCommitment: SettlementCommitment;
  /** The time-out of one call to one node. */
  rpcTimeoutMs: number;
  /** The least price of a compute unit, and that of payments which sellers submit. */
  microLamportsPerComputeUnit: bigint;
  /** The most that one transaction pays as a priority fee, in lamports. */
  maxPriorityLamports?: bigint;
  /** Pays for pauses; default `feePayer`. */
  pauseFeePayer?: Signer;
  /** How long an instruction outside of the transfer path may take to settle. */
  adminTimeoutMs?: number;
}

/** Default for the most that one transaction pays as a priority fee: 20 times the fee of a signature. */
const MAX_PRIORITY_LAMPORTS = 100_000n;
export class Chain {
  /** The chain's time. */
  readonly clock: ChainClock;
  /** Accounts: addresses, creation, state, balances, spending. */
  readonly accounts: ChainAccounts;
  /** Keys of accounts, and their closing. */
  readonly administration: ChainAdministration;
  readonly rent: ChainRent;
  /** Fleets, and their members. */
  readonly fleets: ChainFleets;
  readonly policies: ChainPolicies;
  /** Transfers, and the life of any order's transaction. */
  readonly orders: ChainOrders;
  /** Transfers that x402 facilitators complete and send. */
  readonly directTransfers: ChainDirectTransfers;
  /** Sessions: caps in escrow, paid out by vouchers. */
  readonly sessions: ChainSessions;
  /** Sessions that ended without paying all that they owe. */
  readonly owedSessions: OwedSessions;
  /** Charges: delegates for single payments. */
  readonly charges: ChainCharges;
  /** The transfers that delegates sign and sellers send. */
  readonly sellerPayments: SellerPayments;
  /** Channel purses, which channels are opened out of. */
  readonly channelPurses: ChainChannelPurses;
  /** The channels of metered sellers. */
  readonly channels: ChainChannels;
  /** Events and balance changes, read from transactions. */
  readonly history: ChainHistory;
  /** The price of a compute unit at the moment. */
  readonly price: ComputeUnitPrice;
  private readonly runner: Runner;
  private readonly feePayers: FeePayers;

  private constructor(
    private readonly options: ChainOptions,
    private readonly rpc: Rpc,
    /** The network in use, and the program and mint on it. */
    readonly identity: ChainIdentity,
  ) {
    const addresses = new Addresses(new PublicKey(identity.programId), new PublicKey(identity.usdcMint));
    const pauseFeePayer = options.pauseFeePayer ?? options.feePayer;
    this.feePayers = new FeePayers(rpc, {
      main: options.feePayer,
      urgent: pauseFeePayer,
      pool: options.feePayers ?? [],
      leastLamports: options.leastFeePayerLamports ?? 0n,
    });
    this.price = new ComputeUnitPrice(rpc, {
      feePayers: this.feePayers.addresses,
      least: options.microLamportsPerComputeUnit,
      maxLamports: options.maxPriorityLamports ?? MAX_PRIORITY_LAMPORTS,
    });
    const runner = new Runner(rpc, addresses, {
      feePayers: this.feePayers,
      commitment: options.settlementCommitment,
      price: this.price,
      timeoutMs: options.adminTimeoutMs,
      webSocketUrls: options.webSocketUrls ?? options.rpcUrls.map((url) => webSocketUrlOf(nodeAddress(url).url)),
      // Every transaction of the service mentions one of these, and an order's only the program: a node reports it once.
      mentions: options.mintAuthority ? [identity.programId, options.mintAuthority.address] : [identity.programId],
    });
    const feePayer = new PublicKey(options.feePayer.address);
    const fleetOf = new FleetOf(rpc, addresses);
    this.clock = new ChainClock(rpc);
    this.history = new ChainHistory(rpc, addresses, options.settlementCommitment);
    this.accounts = new ChainAccounts(rpc, runner, addresses, feePayer, options.settlementCommitment, fleetOf);
    this.fleets = new ChainFleets(rpc, runner, addresses, options.feePayer);
    this.administration = new ChainAdministration(rpc, runner, addresses, this.history, fleetOf);
    this.rent = new ChainRent(rpc, runner, addresses);
    this.policies = new ChainPolicies(rpc, runner, addresses, feePayer, fleetOf, new PublicKey(pauseFeePayer.address));
    this.orders = new ChainOrders(rpc, runner, addresses);
    this.directTransfers = new ChainDirectTransfers(runner, addresses, options);
    const instructions = new SessionInstructions(addresses, feePayer);
    this.sessions = new ChainSessions(rpc, runner, addresses, this.history, instructions, fleetOf, this.clock);
    this.owedSessions = new OwedSessions(rpc, runner, addresses, this.sessions);
    this.sellerPayments = new SellerPayments(rpc, runner, addresses, options);
    this.charges = new ChainCharges(rpc, runner, addresses, this.history, { ...options, fleets: fleetOf });
    this.channelPurses = new ChainChannelPurses(rpc, runner, addresses, this.history, { ...options, fleets: fleetOf });
    this.channels = new ChainChannels(rpc, runner, addresses, this.history, options);
    this.runner = runner;
  }

  /**
   * Connects to the nodes and checks that the program and the mint exist there.
   * @throws ChainMismatchError if they are not what the service needs; ChainUnavailableError.
   */
  static async connect(options: ChainOptions): Promise<Chain> {
    const rpc = new Rpc({ urls: options.rpcUrls, sendUrls: options.sendUrls, commitment: 'confirmed', timeoutMs: options.rpcTimeoutMs });
    const genesisHash = await rpc.read('no genesis hash', (connection) => connection.getGenesisHash());
    rpc.expectGenesis(genesisHash);
    const cluster = CLUSTERS[genesisHash] ?? 'localnet';
    const usdcMint = options.usdcMint ?? DEFAULT_USDC_MINTS[cluster];
    if (!usdcMint) throw new ChainMismatchError(`USDC_MINT must be set: there is no USDC of its own on ${cluster}`);
    const programId = options.programId ?? PROGRAM_ID.toBase58();
    const chain = new Chain(options, rpc, { genesisHash, cluster, programId, usdcMint });
    await Promise.all([requireDeployed(rpc, chain.identity), chain.price.refresh(), chain.feePayers.refresh()]);
    chain.runner.listen();
    return chain;
  }

  /** From now on `onCall` gets each request to a node that has ended. */
  observe(onCall: (call: RpcCallNoted) => void): void {
    this.rpc.onCall = onCall;
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

  /** Ends the subscription. Transactions that are still waited for are found by polling. */
  close(): void {
    this.runner.close();
  }

  /** The balance of each key that pays for transactions, the main one first. @throws ChainUnavailableError */
  feePayerBalances(): Promise<KeyBalance[]> {
    return this.feePayers.balances();
  }

  /** The main fee payer's balance, in lamports. @throws ChainUnavailableError */
  async feePayerLamports(): Promise<bigint> {
    const [main] = await this.feePayers.balances();
    return main?.lamports ?? 0n;
  }

  /** Moves lamports out of a key of the operator's, which pays the fee. Repeated, it moves them again. @throws ChainRefusedError */
  async sendLamports(from: Signer, address: string, lamports: bigint): Promise<void> {
    const move = SystemProgram.transfer({ fromPubkey: new PublicKey(from.address), toPubkey: new PublicKey(address), lamports });
    const executed = await this.runner.executePaidBy(from, { instructions: [move], computeUnits: COMPUTE_UNITS.sendLamports, signers: [] });
    landedOrThrow(executed, 'system transfer');
  }

  /** Whether the service can mint: only if the mint is its own. */
  get controlsMint(): boolean {
    return this.options.mintAuthority !== undefined;
  }

  /** Mints test USDC. @throws ChainMismatchError if the mint is not the service's own. */
  async mint(tokenAccount: string, microUsdc: bigint): Promise<{ signature: string; slot: number }> {
    const { mintAuthority } = this.options;
    if (!mintAuthority) throw new ChainMismatchError('this service does not control the mint');
    const mint = new PublicKey(this.identity.usdcMint);
    const mintTo = createMintToInstruction(mint, new PublicKey(tokenAccount), new PublicKey(mintAuthority.address), microUsdc);
    // The next payment must find the money: wait for a node that has reached the slot.
    const isShown = (slot: number) => this.rpc.accounts([tokenAccount], slot).then(() => true);
    const outcome = await this.runner.execute([mintTo], COMPUTE_UNITS.mintTo, [mintAuthority], isShown);
    if (outcome.kind !== 'landed') throw new ChainRefusedError('mint', describe(outcome));
    return outcome;
  }

  /** Moves the embedded chain's clock forward and returns its new time; null on every other chain. */
  async advanceClock(seconds: number): Promise<Date | null> {
    const { rpcUrls, rpcTimeoutMs } = this.options;
    return this.identity.cluster === 'localnet' ? advanceClock(nodeAddress(rpcUrls[0] ?? ''), seconds, rpcTimeoutMs) : null;
  }
}
