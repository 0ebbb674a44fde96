import { Injectable } from '@nestjs/common';
import { Chain, type Failure, type Signer } from '#chain';
import { type Account, AccountsService } from '../../accounts';
import { inSpan } from '../../runtime/observability/tracing';
import { ApprovalMacs } from '../approvals/approval-macs';
import { underCurrentPolicy } from './current-policy';
import { NONCE_REASONS, OUTDATED_REASONS } from './order-failures';
import type { OrderInstruction, OrderOutcome } from '../order-handlers.service';
import type { Order, StoredViolation } from '../order.entity';
import { NonceStore } from '../store/nonce.store';
import type { SignedOrder } from '../store/order-insertions';

/** A simulation needs a free nonce: above those that others sign with at the same time, and well inside the nonce window. */
const SIMULATION_LEAD = 128n;
/** How often a simulation is repeated when only its nonce or a key was outdated. */
const MAX_SIMULATIONS = 5;

/** A simulation's outcome, with the account as it was read for it. */
export interface Simulated {
  account: Account;
  instruction: OrderInstruction;
  outcome: OrderOutcome;
  /** The transaction with which the order is stored, if it was signed before. */
  signed?: SignedOrder | undefined;
}

/** The outcome of an order that a rule of the service declines before it is simulated. */
export function declinedBy(violation: StoredViolation, account: Account, instruction: OrderInstruction): Simulated {
  return { account, instruction, outcome: { kind: 'declined', violation } };
}

/** Asks the program what it would do with an order. */
@Injectable()
export class OrderSimulator {
  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly nonces: NonceStore,
    private readonly macs: ApprovalMacs,
  ) {}

  /** Simulates an order. Nothing is sent. @throws ChainUnavailableError */
  async simulate(order: Order, account: Account, instruction: OrderInstruction): Promise<Simulated> {
    let current = account;
    for (let tries = 1; ; tries++) {
      const approver = await this.approverOf(order, current, instruction);
      const known = current;
      const outcome = await inSpan('order.simulate', {}, () =>
        underCurrentPolicy(known, () => instruction.simulate(known, approver, known.nextSeq + SIMULATION_LEAD, Number(known.observedSlot))),
      );
      const reread = outcome.kind === 'failed' && tries < MAX_SIMULATIONS ? await this.reread(known, outcome.failure) : undefined;
      if (!reread) return { account: known, instruction, outcome };
      current = reread;
    }
  }

  /** The account read again, if only its nonce counter, a key of it or its fleet was outdated. */
  private async reread(account: Account, { reason }: Failure): Promise<Account | undefined> {
    if (OUTDATED_REASONS.has(reason)) return this.accounts.withCurrentKeys(account);
    if (!NONCE_REASONS.has(reason)) return undefined;
    // Others used the nonce first, or the counter has run ahead of the chain.
    const onChain = await this.chain.accounts.find(account.chainAddress);
    if (onChain && !(await this.nonces.hasUnresolved(account.id))) await this.accounts.rewindNonces(account, onChain.highestSeq);
    return this.accounts.findEver(account.operatorId, account.id);
  }

  /** The operator's signer, if the order was approved as it is. */
  async approverOf(order: Order, account: Account, instruction: OrderInstruction): Promise<Signer | null> {
    return order.approved && this.macs.isApproved(order, instruction, account) ? this.accounts.operatorOf(account) : null;
  }
}
