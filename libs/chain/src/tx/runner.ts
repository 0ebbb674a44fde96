/** Runs transactions: simulates, signs, submits and confirms them, and translates their outcome. */
import { randomInt } from 'node:crypto';
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import type { Addresses } from '../program/addresses';
import { ChainOutcomeUnknownError, ChainUnavailableError } from '../chain.errors';
import type { Outcome, SettlementCommitment, SignedTransaction, SimulationOutcome, TransactionFinality } from './tx.types';
import type { Signer } from './signing/signer';
import { Blockhashes, type Blockhash } from '../rpc/blockhashes';
import type { FeePayers } from './fees/fee-payers';
import type { ComputeUnitPrice } from './fees/compute-unit-price';
import { Confirmations, type Landing } from './confirm';
import type { Executed } from './executed';
import { LogSubscription } from '../rpc/subscription';
import type { Simulation } from '../rpc/answers';
import type { Rpc } from '../rpc/client';
import { type Shown, TransactionOutcomes } from './outcomes';
import { MessageTemplate } from './template';
import { allowingVersion, compile as compileTransaction, explain, isSendable, signTransaction, type Draft } from './build';

/** Default for how long an instruction outside of the transfer path may take to settle. */
const TIMEOUT_MS = 30_000;
/**
 * Equal instructions under one blockhash would be the same transaction: a second pause would be taken for the first. So each execution
 * adds a different number of compute units, below this one.
 */
const DISTINCT_EXECUTIONS = 10_000;
/** Blockhashes tried for one instruction before its outcome counts as unknown. */
const ATTEMPTS = 3;

export interface RunnerOptions {
  feePayers: FeePayers;
  commitment: SettlementCommitment;
  price: ComputeUnitPrice;
  /** How long `execute` waits for one transaction. */
  timeoutMs?: number;
  webSocketUrls: string[];
  /** Each transaction that is waited for mentions one of these. */
  mentions: string[];
}

/** A transaction to execute: see `Runner.execute`. */
export interface Execution {
  instructions: TransactionInstruction[];
  computeUnits: number;
  signers: Signer[];
  isShown?: Shown | undefined;
  isUrgent?: boolean;
}

export class Runner {
  private readonly blockhashes: Blockhashes;
  private readonly confirmations: Confirmations;
  private readonly subscription: LogSubscription;
  readonly outcomes: TransactionOutcomes;
  /** Starts at random, so that two processes rarely count alike. */
  private executions = randomInt(DISTINCT_EXECUTIONS);

  constructor(
    private readonly rpc: Rpc,
    private readonly addresses: Addresses,
    private readonly options: RunnerOptions,
  ) {
    const { commitment, webSocketUrls: urls, mentions } = options;
    this.blockhashes = new Blockhashes(rpc);
    this.confirmations = new Confirmations(rpc, commitment);
    this.outcomes = new TransactionOutcomes(rpc, addresses);
    // One subscription for all our transactions instead of one each. It delivers their logs too.
    this.subscription = new LogSubscription({
      urls,
      mentions,
      commitment,
      onTransaction: (transaction) => this.confirmations.notice(transaction),
    });
  }

  /** Starts the subscription. Without it, landed transactions are found by polling, later. */
  listen(): void {
    this.subscription.start();
  }

  close(): void {
    this.subscription.close();
  }

  /** The node's answer to a simulation. @throws ChainUnavailableError also when every node is behind `minContextSlot`. */
  simulateRaw(
    instructions: TransactionInstruction[],
    computeUnits: number,
    minContextSlot: number,
    commitment: SettlementCommitment = 'confirmed',
  ): Promise<Simulation> {
    return this.simulateAt(this.compile(instructions, computeUnits), minContextSlot, commitment);
  }

  /** These instructions as an unsigned transaction for `simulateCompiled`. It does not expire and may be cached. */
  compile(instructions: TransactionInstruction[], computeUnits: number): Uint8Array {
    return compileTransaction(this.draft(instructions, computeUnits), PublicKey.default.toBase58()).serialize();
  }

  /** Whether these instructions fit one transaction, with a price. */
  fits(instructions: TransactionInstruction[]): boolean {
    return isSendable(compileTransaction({ ...this.draft(instructions, 0), microLamportsPerUnit: 1n }, PublicKey.default.toBase58()));
  }

  /** Simulates these instructions. @throws ChainUnavailableError also when every node is behind `minContextSlot`. */
  simulate(instructions: TransactionInstruction[], computeUnits: number, minContextSlot: number): Promise<SimulationOutcome> {
    return this.simulateCompiled(this.compile(instructions, computeUnits), minContextSlot);
  }

  /** Simulates what `compile` returned. `versionIn`: the policy's version in what its last instruction returns, for one that logs none. */
  async simulateCompiled(
    transaction: Uint8Array,
    minContextSlot: number,
    versionIn?: (returned: Buffer) => bigint,
  ): Promise<SimulationOutcome> {
    const { err, logs, returnData } = await this.simulateAt(transaction, minContextSlot, 'confirmed');
    if (!err) {
      const returned = versionIn && returnData ? versionIn(Buffer.from(returnData.data[0], 'base64')) : undefined;
      const policyVersion = returned ?? allowingVersion(this.addresses.programId, logs ?? []);
      return policyVersion === undefined ? { kind: 'allowed' } : { kind: 'allowed', policyVersion };
    }
    const reason = explain(this.addresses.programId, err, logs ?? []);
    return 'violation' in reason ? { kind: 'violation', ...reason } : { kind: 'failed', ...reason };
  }

  /** A confirmed blockhash, at most a few seconds old. @throws ChainUnavailableError */
  recentBlockhash(): Promise<Blockhash> {
    return this.blockhashes.recent();
  }

  /** A blockhash that a seller proposes, with a bound of its last valid height; null if our node does not know it. */
  knownBlockhash(blockhash: string): Promise<Blockhash | null> {
    return this.blockhashes.known(blockhash);
  }

  /** The price of a compute unit of a transaction now, in micro-lamports. */
  priceOf(computeUnits: number): bigint {
    return this.options.price.of(computeUnits);
  }

  /** A template of these instructions at the present price, the last of which has other data each time. */
  template(instructions: TransactionInstruction[], computeUnits: number): MessageTemplate {
    return new MessageTemplate(this.draft(instructions, computeUnits));
  }

  /** Signs a template's message under a recent blockhash, paid for by the fee payer whose turn it is. Nothing is sent. */
  async signTemplate(template: MessageTemplate, data: Buffer, signers: Signer[]): Promise<SignedTransaction> {
    return template.sign(data, await this.blockhashes.recent(), this.options.feePayers.next(), signers);
  }

  /** Signs under a recent blockhash. Nothing is sent. @throws SignatureRequiredError */
  async sign(instructions: TransactionInstruction[], computeUnits: number, signers: Signer[]): Promise<SignedTransaction> {
    return this.signDraft(this.draft(instructions, computeUnits), this.options.feePayers.main, signers);
  }

  /** As `sign`, and another transaction each time: equal instructions that are each to be executed. */
  async signAnother(instructions: TransactionInstruction[], computeUnits: number, signers: Signer[]): Promise<SignedTransaction> {
    return this.sign(instructions, computeUnits + (this.executions++ % DISTINCT_EXECUTIONS), signers);
  }

  private async signDraft(draft: Draft, payer: Signer, signers: Signer[]): Promise<SignedTransaction> {
    return signTransaction(
      draft,
      await this.blockhashes.recent(),
      [payer, ...signers.filter(({ address }) => address !== payer.address)],
      (computeUnits) => this.options.price.mostOf(computeUnits),
    );
  }

  /** Submits, resubmits, and waits for the settlement commitment for at most `timeoutMs`. */
  async settle(signed: SignedTransaction, timeoutMs: number, onSent?: () => void): Promise<Outcome> {
    const landing = await this.confirmations.settle(signed, timeoutMs, onSent);
    if (landing.kind === 'expired') this.options.feePayers.rest(signed.bytes);
    return this.outcome(signed.signature, landing);
  }

  /** The outcome of a transaction submitted earlier, from the whole history. Reports `expired` only at a finalized height. */
  async lookUp(signed: Pick<SignedTransaction, 'signature' | 'lastValidBlockHeight'>): Promise<Outcome> {
    return this.outcome(signed.signature, await this.confirmations.look(signed));
  }

  /** How final each transaction is. @throws ChainUnavailableError */
  finalities(signatures: string[]): Promise<TransactionFinality[]> {
    return this.confirmations.finalities(signatures);
  }

  /**
   * Signs, submits and confirms instructions that may be repeated. They have landed if a node reports it and the state agrees; omit
   * `isShown` only if a later step checks the state, or nothing depends on it. `isUrgent`: at a higher price, by the fee payer for it.
   * @throws ChainOutcomeUnknownError, ChainUnavailableError; SignatureRequiredError, also if what was signed has expired.
   */
  async execute(
    instructions: TransactionInstruction[],
    computeUnits: number,
    signers: Signer[],
    isShown?: Shown,
    isUrgent = false,
  ): Promise<Executed> {
    const { main, urgent } = this.options.feePayers;
    return this.executePaidBy(isUrgent ? urgent : main, { instructions, computeUnits, signers, isShown, isUrgent });
  }

  /** As `execute`, paid for by any key. */
  async executePaidBy(payer: Signer, { instructions, computeUnits, signers, isShown, isUrgent }: Execution): Promise<Executed> {
    const timeoutMs = this.options.timeoutMs ?? TIMEOUT_MS;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const draft = this.draft(instructions, computeUnits + (this.executions++ % DISTINCT_EXECUTIONS), payer, isUrgent);
      const signed = await this.signDraft(draft, payer, signers);
      const deadline = performance.now() + timeoutMs;
      const landing = await this.confirmations.settle(signed, timeoutMs);
      const outcome = await this.outcome(signed.signature, landing);
      if (outcome.kind === 'not_sent') throw new ChainUnavailableError('no node could be reached to send to');
      if (outcome.kind === 'unknown') break;
      const executed =
        outcome.kind === 'landed'
          ? await this.outcomes.confirmShown(signed.signature, outcome.slot, { isShown: isShown ?? alwaysShown, deadline })
          : outcome;
      if (executed.kind !== 'expired') return { ...executed, signature: signed.signature };
    }
    throw new ChainOutcomeUnknownError('the transaction was sent and has not been seen to land');
  }

  private async simulateAt(transaction: Uint8Array, minContextSlot: number, commitment: SettlementCommitment): Promise<Simulation> {
    const simulation = await this.rpc.simulate(transaction, { commitment, minContextSlot });
    // An error that names no instruction is about the fee payer or the node, not about the order.
    if (typeof simulation.err === 'string') throw new ChainUnavailableError(`a simulation failed with ${simulation.err}`);
    return simulation;
  }

  private draft(
    instructions: TransactionInstruction[],
    computeUnits: number,
    payer: Signer = this.options.feePayers.main,
    isUrgent = false,
  ): Draft {
    const microLamportsPerUnit = this.options.price.of(computeUnits, isUrgent);
    return { instructions, feePayer: new PublicKey(payer.address), computeUnits, microLamportsPerUnit };
  }

  private async outcome(signature: string, landing: Landing): Promise<Outcome> {
    if (landing.kind === 'expired') {
      this.blockhashes.forget();
      this.options.price.raise();
    }
    return this.outcomes.of(signature, landing);
  }
}

const alwaysShown: Shown = () => Promise.resolve(true);
