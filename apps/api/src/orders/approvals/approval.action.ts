import type { AccountsService } from '../../accounts';
import type { Caller } from '../../http/caller';
import { formatUsdc } from '../../money/usdc';
import { OperatorAction, type OperatorActions } from '../../signatures';
import type { Order } from '../order.entity';

export interface ApprovalParameters {
  id: string;
}

/** Approves orders of a kind that can wait for an operator: the operator's chain key signs the order too. */
export abstract class ApprovalAction<T extends object> extends OperatorAction<ApprovalParameters, T> {
  constructor(
    actions: OperatorActions,
    private readonly accounts: AccountsService,
  ) {
    super(actions);
  }

  /** The order that waits. @throws NotFound; Conflict if none waits */
  protected abstract orderOf(caller: Caller, id: string): Promise<Order>;

  async describe(caller: Caller, { id }: ApprovalParameters): Promise<{ accountId: string; summary: string[] }> {
    const order = await this.orderOf(caller, id);
    const account = await this.accounts.find(caller.operatorId, order.accountId);
    return { accountId: account.id, summary: [`${account.name} (${account.id}) ${whatItDoes(order)}`] };
  }
}

/** The effect of an approved order, as the rest of a sentence about its account. */
function whatItDoes({ id, kind, microUsdc, recipient, payee, sessionId }: Order): string {
  const amount = `${formatUsdc(microUsdc)} USDC`;
  switch (kind) {
    case 'transfer':
      return `pays ${amount} to ${recipient}: transfer ${id}.`;
    case 'session':
      return `puts ${amount} into escrow for ${payee}: session ${id}.`;
    case 'top_up':
      return `puts ${amount} more into escrow for ${payee}: session ${sessionId}.`;
    case 'channel_purse':
      return `sets ${amount} aside for payment channels: purse ${id}.`;
    case 'purse':
      return `allows payments of ${amount} in all: purse ${id}.`;
    case 'charge':
    case 'direct_transfer':
      throw new Error(`a ${kind} is never approved by an operator`);
  }
}
