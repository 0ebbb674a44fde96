/** Message authentication codes of orders that wait for an approval, and of approvals: the operator's key signs what was asked and approved. */
import { Injectable } from '@nestjs/common';
import type { Account } from '../../accounts';
import { RowMacs } from '../../secrets';
import type { Order } from '../order.entity';
import type { OrderInstruction } from '../order-handlers.service';

/** The MAC of an approval: the operator, the time and the nonce of the order. An approval is used once, as the nonce is. */
export type Approval = { [Member in 'approvedBy' | 'approvedAt']: NonNullable<Order[Member]> } & { seq: bigint; mac: Buffer };

@Injectable()
export class ApprovalMacs {
  constructor(private readonly macs: RowMacs) {}

  /** The code of an order that waits until `expiresAt`. */
  ofWaiting(order: Order, instruction: OrderInstruction, account: Account, expiresAt: Date): Buffer {
    return this.macs.of('waiting-order', [...factsOf(order, instruction, account), expiresAt]);
  }

  /** Whether the service stored an order as it waits. */
  isWaiting(order: Order, instruction: OrderInstruction, account: Account): boolean {
    return this.macs.isGenuine('waiting-order', [...factsOf(order, instruction, account), order.approvalExpiresAt], order.waitingMac);
  }

  approval(order: Order, instruction: OrderInstruction, account: Account, by: Omit<Approval, 'mac'>): Approval {
    return { ...by, mac: this.macs.of('approval', [...factsOf(order, instruction, account), by.approvedBy, by.approvedAt, by.seq]) };
  }

  /** Whether the service stored the approval of an order, as it is, for the nonce that the order has. */
  isApproved(order: Order, instruction: OrderInstruction, account: Account): boolean {
    const facts = [...factsOf(order, instruction, account), order.approvedBy, order.approvedAt, order.seq];
    return this.macs.isGenuine('approval', facts, order.approvalMac);
  }
}

/** The arguments of an instruction without the keys, which may be rotated while the order waits. */
export function withoutKeys<T extends { authority: string; approvedBy: string | null }>(instruction: T): object {
  const { authority: _authority, approvedBy: _approvedBy, ...facts } = instruction;
  return facts;
}

function factsOf({ id, operatorId, accountId, kind, recipient, memo }: Order, instruction: OrderInstruction, account: Account): unknown[] {
  return [id, operatorId, accountId, kind, recipient, memo, instruction.facts(account)];
}
