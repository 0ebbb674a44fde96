/** Runs transactions: simulates, signs, sends, waits, and says what became of them in the service's words. */
import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { PublicKey, type TransactionInstruction, type VersionedTransactionResponse } from '@solana/web3.js';
import { ChainOutcomeUnknownError, ChainUnavailableError } from '../chain.errors';
import type { Outcome, SignedTransaction, Verdict } from '../chain.types';
import type { Signer } from '../signer';
import { Blockhashes, type Blockhash } from './blockhashes';
import { Landings, type Landing, type SettlementCommitment } from './landings';
import { LogFeed } from './log-feed';
import type { Rpc, Simulation } from './rpc';
import { compile, explain, signTransaction, type Draft } from './transactions';

/** How long an instruction outside of the transfer path may take to settle, unless the options say otherwise. */
const TIMEOUT_MS = 30_000;
/**
 * Equal instructions under one blockhash would be one transaction: a pause after a resumption would be taken for the pause
 * before it. So each execution asks for another number of compute units, up to so many more.
 */
const DISTINCT_EXECUTIONS = 10_000;
/** How often the state is read until it shows what has landed: a slow node calls a transaction confirmed seconds before. */
const SHOWN_POLL_MS = 200;
/** Blockhashes tried for one administrative instruction before it counts as unknown. */
const ATTEMPTS = 3;

export interface RunnerOptions {
  feePayer: Signer;
  commitment: SettlementCommitment;
  microLamportsPerUnit: bigint;
  /** How long `execute` waits for one transaction. */
  timeoutMs?: number;
  webSocketUrl: string;
  /** Every transaction that is waited for mentions one of these. */
  mentions: string[];
}

/** What became of an executed transaction. */
export type Executed = Extract<Outcome, { slot: number }> & { signature: string };

/** Whether the state shows that an instruction was executed, by a node that has reached this slot. @throws ChainUnavailableError */
export type Shown = (minContextSlot: number) => Promise<boolean>;

export class Runner {
  private readonly blockhashes: Blockhashes;
  private readonly landings: Landings;
  private readonly feed: LogFeed;
  private readonly feePayer: PublicKey;
  /** Begins anywhere, so that two processes hardly ever count alike. */
  private executions = randomInt(DISTINCT_EXECUTIONS);

  constructor(
    private readonly rpc: Rpc,
    private readonly programId: PublicKey,
    private readonly options: RunnerOptions,
  ) {
    const { commitment, webSocketUrl: url, mentions } = options;
    this.feePayer = new PublicKey(options.feePayer.address);
    this.blockhashes = new Blockhashes(rpc);
    this.landings = new Landings(rpc, commitment);
    // One subscription for all our transactions instead of one each, and it brings their logs along.
    this.feed = new LogFeed({ url, mentions, commitment, tell: (transaction) => this.landings.notice(transaction) });
  }

  /** Begins to hear of landings. Without it they are found by polling, later. */
  listen(): void {
    this.feed.start();
  }

  close(): void {
    this.feed.close();
  }

  /** What would come of these instructions. @throws ChainUnavailableError also when every node is behind `minContextSlot`. */
  simulate(
    instructions: TransactionInstruction[],
    computeUnits: number,
    minContextSlot: number,
    commitment: SettlementCommitment = 'confirmed',
  ): Promise<Simulation> {
    return this.simulateQuestion(this.question(instructions, computeUnits), minContextSlot, commitment);
  }

  /** These instructions as they are simulated: the same at every time, for what is asked again and again. */
  question(instructions: TransactionInstruction[], computeUnits: number): Uint8Array {
    return compile(this.draft(instructions, computeUnits), PublicKey.default.toBase58()).serialize();
  }

  /** The program's verdict on these instructions. @throws ChainUnavailableError also when every node is behind `minContextSlot`. */
  judge(instructions: TransactionInstruction[], computeUnits: number, minContextSlot: number): Promise<Verdict> {
    return this.answer(this.question(instructions, computeUnits), minContextSlot);
  }

  /** The verdict on what `question` made. */
  async answer(question: Uint8Array, minContextSlot: number): Promise<Verdict> {
    const { err, logs } = await this.simulateQuestion(question, minContextSlot, 'confirmed');
    if (!err) return { kind: 'allowed' };
    const reason = explain(this.programId, err, logs ?? []);
    return 'refusal' in reason ? { kind: 'refused', ...reason } : { kind: 'failed', ...reason };
  }

  /** A confirmed blockhash, at most a few seconds old. @throws ChainUnavailableError */
  recentBlockhash(): Promise<Blockhash> {
    return this.blockhashes.recent();
  }

  /** Signs under a recent blockhash. Nothing is sent. */
  async sign(instructions: TransactionInstruction[], computeUnits: number, signers: Signer[]): Promise<SignedTransaction> {
    return signTransaction(this.draft(instructions, computeUnits), await this.blockhashes.recent(), [this.options.feePayer, ...signers]);
  }

  /** Sends, sends again, and waits for the settlement commitment at most `timeoutMs`. */
  async settle(signed: SignedTransaction, timeoutMs: number, onSent?: () => void): Promise<Outcome> {
    return this.outcome(signed.signature, await this.landings.settle(signed, timeoutMs, onSent));
  }

  /** What became of a transaction sent earlier, history included. `expired` is said only at a finalized height. */
  async lookUp(signed: Pick<SignedTransaction, 'signature' | 'lastValidBlockHeight'>): Promise<Outcome> {
    return this.outcome(signed.signature, await this.landings.look(signed));
  }

  /** What became of a transaction, by itself and not by its status; unknown where no node has it. */
  private async reread(signature: string): Promise<Outcome> {
    const transaction = await this.transaction(signature);
    if (!transaction) return { kind: 'unknown' };
    const { slot, meta } = transaction;
    return this.outcome(signature, { kind: 'landed', slot, error: meta?.err ?? null, logs: meta?.logMessages ?? [] });
  }

  /**
   * Signs, sends and waits for what may be repeated. It has landed when a node says so and the state agrees; `isShown` is left out
   * only where a later step proves it, or nothing hangs on it.
   * @throws ChainOutcomeUnknownError, ChainUnavailableError.
   */
  async execute(instructions: TransactionInstruction[], computeUnits: number, signers: Signer[], isShown?: Shown): Promise<Executed> {
    const timeoutMs = this.options.timeoutMs ?? TIMEOUT_MS;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const signed = await this.sign(instructions, computeUnits + (this.executions++ % DISTINCT_EXECUTIONS), signers);
      const deadline = performance.now() + timeoutMs;
      const landing = await this.landings.settle(signed, timeoutMs);
      const outcome = await this.outcome(signed.signature, landing);
      if (outcome.kind === 'not_sent') throw new ChainUnavailableError('no node could be reached to send to');
      if (outcome.kind === 'unknown') break;
      const executed =
        outcome.kind === 'landed'
          ? await this.confirmShown(signed.signature, outcome.slot, { isShown: isShown ?? alwaysShown, deadline })
          : outcome;
      if (executed.kind !== 'expired') return { ...executed, signature: signed.signature };
    }
    throw new ChainOutcomeUnknownError('the transaction was sent and has not been seen to land');
  }

  /**
   * What became of a transaction that a node says has landed: landed once the state shows it, or the error of the transaction itself.
   * Reads the state until the deadline, at least once. @throws ChainOutcomeUnknownError
   */
  async confirmShown(
    signature: string,
    slot: number,
    { isShown, deadline }: { isShown: Shown; deadline: number },
  ): Promise<Extract<Outcome, { slot: number }>> {
    let cause: unknown;
    const orUnavailable = (error: unknown): undefined => {
      if (!(error instanceof ChainUnavailableError)) throw error;
      cause = error;
      return undefined;
    };
    for (;;) {
      if (await isShown(slot).catch(orUnavailable)) return { kind: 'landed', slot };
      const outcome = await this.reread(signature).catch(orUnavailable);
      if (outcome?.kind === 'refused' || outcome?.kind === 'failed') return outcome;
      if (performance.now() > deadline) break;
      await setTimeout(SHOWN_POLL_MS);
    }
    throw new ChainOutcomeUnknownError(`${signature} is said to have landed, and the state does not show it`, { cause });
  }

  private async simulateQuestion(question: Uint8Array, minContextSlot: number, commitment: SettlementCommitment): Promise<Simulation> {
    const simulation = await this.rpc.simulate(question, { commitment, minContextSlot });
    // An error that names no instruction is the fee payer's or the node's, not a verdict on the order.
    if (typeof simulation.err === 'string') throw new ChainUnavailableError(`a simulation failed with ${simulation.err}`);
    return simulation;
  }

  private draft(instructions: TransactionInstruction[], computeUnits: number): Draft {
    return { instructions, feePayer: this.feePayer, computeUnits, microLamportsPerUnit: this.options.microLamportsPerUnit };
  }

  private async outcome(signature: string, landing: Landing): Promise<Outcome> {
    if (landing.kind === 'expired') this.blockhashes.forget();
    if (landing.kind !== 'landed') return landing;
    const { slot, error } = landing;
    if (!error) return { kind: 'landed', slot };
    const reason = explain(this.programId, error, landing.logs ?? (await this.logs(signature)));
    return 'refusal' in reason ? { kind: 'refused', slot, ...reason } : { kind: 'failed', slot, ...reason };
  }

  private async logs(signature: string): Promise<string[]> {
    return (await this.transaction(signature))?.meta?.logMessages ?? [];
  }

  private transaction(signature: string): Promise<VersionedTransactionResponse | null> {
    return this.rpc.read('no transaction', (connection) =>
      connection.getTransaction(signature, { commitment: 'confirmed', maxSupportedTransactionVersion: 0 }),
    );
  }
}

const alwaysShown: Shown = () => Promise.resolve(true);
