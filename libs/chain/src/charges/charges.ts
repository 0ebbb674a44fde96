/** Charges: delegates of an account for single payments at providers that take only a plain token transfer. */
import { PublicKey, TransactionInstruction } from '@solana/web3.js';
import type { ChainHistory } from '../history/history';
import { ChainRefusedError, ChainUnavailableError, HistoryCutError } from '../chain.errors';
import type {
  ApprovedCharge,
  ChargeMovement,
  ChargeMovements,
  ChargeOrder,
  ChargeSpan,
  ChargeStanding,
  FinishedCharge,
} from './charge.types';
import { readTokenAccount } from '../accounts/token-account';
import type { SignedTransaction, SimulationOutcome } from '../tx/tx.types';
import type { Signer } from '../tx/signing/signer';
import { decodeAccount } from '../accounts/account-data';
import type { FleetOf } from '../accounts/fleet-of';
import { COMPUTE_UNITS } from '../program/compute-units';
import { categoryEntry } from '../policy/list-entries';
import type { LandedEvent } from '../history/history.types';
import { findEvent } from '../program/events';
import type { EventFields } from '../program/idl-types';
import { toBigint, toBn } from '../program/idl';
import { instruction } from '../program/instruction';
import type { Addresses } from '../program/addresses';
import type { Rpc } from '../rpc/client';
import type { Runner } from '../tx/runner';

/** The program's error if no charge of this nonce is open, or the node does not have it yet. */
const NOT_OPEN = 'charge_not_open';
/** Transactions of a charge that are read concurrently. */
const MOVEMENTS_AT_ONCE = 16;

/**
 * The program makes a key of this one charge the delegate for exactly the amount. `SellerPayments` builds the transfer that the delegate
 * signs and the provider sends. `finish` counts what was spent and revokes the rest.
 */
export class ChainCharges {
  constructor(
    private readonly rpc: Rpc,
    private readonly runner: Runner,
    private readonly addresses: Addresses,
    private readonly history: ChainHistory,
    private readonly options: { feePayer: Signer; fleets: FleetOf },
  ) {}

  /** Simulates the approval of a charge with the nonce `seq`. Nothing is sent. */
  simulateApproval(order: ChargeOrder, seq: bigint, minContextSlot: number): Promise<SimulationOutcome> {
    return this.runner.simulate([this.approve(order, seq)], COMPUTE_UNITS.approveCharge, minContextSlot);
  }

  /** Signs an approval under a recent blockhash. Nothing is sent: `orders.settle` submits it. */
  signApproval(order: ChargeOrder, seq: bigint, signers: Signer[]): Promise<SignedTransaction> {
    return this.runner.sign([this.approve(order, seq)], COMPUTE_UNITS.approveCharge, signers);
  }

  /** The approval of a charge in a landed transaction. @throws ChainUnavailableError until a node serves the transaction. */
  async approved(signature: string, chargeId: Uint8Array): Promise<ApprovedCharge> {
    const approval = (await this.history.ordersLandedBy(signature)).find(({ id }) => id.equals(chargeId));
    if (!approval?.deadline) throw new ChainUnavailableError(`${signature} does not show the approval of the charge`);
    return { seq: approval.seq, deadline: approval.deadline };
  }

  /**
   * Finishes the charge that the nonce `seq` approved: counts what its delegate moved and revokes the rest. Idempotent: a repeated call
   * returns the same result. `closer` is the account's authority or operator, or null after the deadline.
   * @throws ChainRefusedError with the program's reason; ChainOutcomeUnknownError: call again; ChainUnavailableError.
   */
  async finish(account: string, seq: bigint, closer: Signer | null): Promise<FinishedCharge> {
    const address = new PublicKey(account);
    const accounts = {
      account: address,
      token_account: this.addresses.tokenAccount(address),
      fleet: await this.options.fleets.of(account),
      closer: new PublicKey((closer ?? this.options.feePayer).address),
    };
    const finish = instruction(this.addresses.programId, 'finish_charge', accounts, { seq: toBn(seq) });
    // A frozen token account cannot be revoked from, and each attempt on chain would cost a fee.
    const simulated = await this.runner.simulate([finish], COMPUTE_UNITS.finishCharge, 0);
    if (simulated.kind === 'failed' && simulated.failure.reason !== NOT_OPEN)
      throw new ChainRefusedError(simulated.failure.reason, `finish_charge ${seq} of ${account}`);
    const executed = await this.runner.execute([finish], COMPUTE_UNITS.finishCharge, closer ? [closer] : [], (slot) =>
      this.hasEnded(address, seq, slot),
    );
    if (executed.kind === 'landed') {
      const { signature, slot } = executed;
      const data = findEvent(await this.history.eventsOf(signature), 'ChargeFinished', isFinish(account, seq));
      if (data) return finishedBy({ signature, slot, data });
    }
    const reason = executed.kind === 'failed' ? executed.failure.reason : executed.kind;
    if (executed.kind !== 'landed' && reason !== NOT_OPEN) throw new ChainRefusedError(reason, `finish_charge ${seq} of ${account}`);
    const finished = await this.finished(account, seq);
    if (!finished) throw new ChainUnavailableError(`no charge ${seq} is open, and the history does not have its end yet`);
    return finished;
  }

  /** The end of a charge, by its event; pausing may have ended it. Null if it has not, or the account still shows it as open. */
  async finished(account: string, seq: bigint): Promise<FinishedCharge | null> {
    const found = await this.history.findEvent(account, 'ChargeFinished', isFinish(account, seq));
    return found && (await this.hasEnded(new PublicKey(account), seq, found.slot)) ? finishedBy(found) : null;
  }

  /** The state of the charge of the nonce `seq`, by a node that has reached `minContextSlot`. @throws ChainUnavailableError */
  async standing(account: string, seq: bigint, minContextSlot: number): Promise<ChargeStanding> {
    const tokenAccount = this.addresses.tokenAccount(new PublicKey(account));
    const [info, held] = await this.rpc.accounts([account, tokenAccount.toBase58()], minContextSlot);
    const shown = info?.owner.equals(this.addresses.programId) ? decodeAccount(account, info.data) : null;
    if (!shown?.isNonceUsed(seq)) return { kind: 'not_approved' };
    if (shown.openCharge?.seq === seq) {
      const { delegate, delegatedAmount } = held ? readTokenAccount(tokenAccount, held) : { delegate: null, delegatedAmount: 0n };
      const isSpent = delegate === null; // the token program drops a delegate that moved everything, or that revoked itself
      return !isSpent && delegate.toBase58() === shown.openCharge.delegate ? { kind: 'open', left: delegatedAmount } : { kind: 'unknown' };
    }
    try {
      const finished = await this.finished(account, seq);
      return finished && finished.spent !== null ? { kind: 'ended', spent: finished.spent } : { kind: 'unknown' };
    } catch (error) {
      if (error instanceof HistoryCutError) return { kind: 'unknown' };
      throw error;
    }
  }

  /**
   * The end of the charge that the nonce `seq` approved, by the finalized state: the account has no such charge open. Null if it has, or if the
   * nonce is not used. @throws ChainUnavailableError
   */
  async shownEnd(account: string, seq: bigint, chargeId: Uint8Array): Promise<FinishedCharge | null> {
    const [info] = await this.rpc.accounts([account], 0, 'finalized');
    const shown = info?.owner.equals(this.addresses.programId) ? decodeAccount(account, info.data) : null;
    if (!shown?.isNonceUsed(seq) || shown.openCharge?.seq === seq) return null;
    return { signature: null, slot: 0, chargeId, spent: null, isExact: false };
  }

  /**
   * The transactions by which a charge's delegate moved money between its approval and its end. The program counts an upper bound if
   * the delegate revoked its allowance itself. @throws ChainUnavailableError until the node has the transaction that ended it.
   */
  async movements({ tokenAccount, delegate, approval, end }: ChargeSpan): Promise<ChargeMovements> {
    const { signatures: touching, isComplete } = await this.history.signaturesSince(tokenAccount, approval);
    const count = end === null ? touching.length : touching.indexOf(end) + 1;
    if (end !== null && count === 0) throw new ChainUnavailableError(`the node does not have ${end} in the history of ${tokenAccount} yet`);
    const naming = new Set((await this.history.signaturesSince(delegate, approval)).signatures);
    const signatures = touching.slice(0, count).filter((each) => naming.has(each));
    const movements: ChargeMovement[] = [];
    for (let from = 0; from < signatures.length; from += MOVEMENTS_AT_ONCE) {
      const page = signatures.slice(from, from + MOVEMENTS_AT_ONCE);
      movements.push(...(await Promise.all(page.map((each) => this.history.movedBy(delegate, tokenAccount, each)))).flat());
    }
    return { movements, isComplete };
  }

  /** Whether the account shows another open charge, or none. */
  private async hasEnded(account: PublicKey, seq: bigint, minContextSlot: number): Promise<boolean> {
    const [info] = await this.rpc.accounts([account.toBase58()], minContextSlot);
    return !info || decodeAccount(account.toBase58(), info.data)?.openCharge?.seq !== seq;
  }

  /** Whether a payment that may land up to this height can no longer land. True only at a finalized height. */
  async hasExpired(lastValidBlockHeight: number): Promise<boolean> {
    return (await this.rpc.read('no block height', (connection) => connection.getBlockHeight('finalized'))) > lastValidBlockHeight;
  }

  private approve(order: ChargeOrder, seq: bigint): TransactionInstruction {
    return instruction(
      this.addresses.programId,
      'approve_charge',
      {
        account: new PublicKey(order.address),
        ...this.addresses.governing(order),
        authority: new PublicKey(order.authority),
        operator: order.approvedBy ? new PublicKey(order.approvedBy) : undefined,
        token_account: new PublicKey(order.tokenAccount),
        mint: this.addresses.mint,
        delegate: new PublicKey(order.delegate),
      },
      {
        args: {
          seq: toBn(seq),
          charge_id: [...order.chargeId],
          amount: toBn(order.microUsdc),
          category: order.category === null ? null : [...categoryEntry(order.category)],
          expires_in_seconds: order.expiresInSeconds,
          purse: order.purse ?? false,
        },
      },
    );
  }
}

const isFinish =
  (address: string, nonce: bigint) =>
  ({ account, seq }: EventFields['ChargeFinished']): boolean =>
    account.toBase58() === address && toBigint(seq) === nonce;

function finishedBy({ signature, slot, data }: LandedEvent<'ChargeFinished'>): FinishedCharge {
  return {
    signature,
    slot,
    chargeId: Uint8Array.from(data.charge_id),
    spent: toBigint(data.spent),
    isExact: data.exact,
  };
}
