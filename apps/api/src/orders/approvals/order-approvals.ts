import { Injectable } from '@nestjs/common';
import { Chain } from '#chain';
import { type Account, AccountsService } from '../../accounts';
import type { Caller } from '../../http/caller';
import { ChainUnavailable } from '../../http/domain.errors';
import { SignatureRequired, type Signed } from '../../signatures';
import { Clock } from '../../runtime/clock';
import { type Approval, ApprovalMacs } from './approval-macs';
import { CROWDED } from '../processing/order-failures';
import { OrderHandlers } from '../order-handlers.service';
import { OrderSimulator } from '../processing/order-simulator';
import { Order } from '../order.entity';
import { NonceStore } from '../store/nonce.store';
import type { SignedOrder } from '../store/order-insertions';
import { OrderChanged } from '../orders.errors';

/** An order that waits for approval gets a new nonce if this many later ones are used: half of the nonce window. */
const MAX_NONCE_AGE = 512n;

/** Makes the approval of an order, and signs the order with it. */
@Injectable()
export class OrderApprovals {
  constructor(
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly nonces: NonceStore,
    private readonly handlers: OrderHandlers,
    private readonly macs: ApprovalMacs,
    private readonly simulator: OrderSimulator,
  ) {}

  /** Whether the operator itself must sign the approval of an order, because it holds its chain key outside of the service. */
  async needsOperator(order: Order): Promise<boolean> {
    return this.accounts.isExternal(await this.accounts.findEver(order.operatorId, order.accountId));
  }

  /**
   * The approval of an order by an operator's key, for the nonce that it has, or gets. Nothing is stored.
   * @throws OrderChanged if the order is not as it was asked for; ChainUnavailable
   */
  async of(order: Order, { keyId }: Caller, signed: Signed | null): Promise<Approval> {
    const account = await this.accounts.findEver(order.operatorId, order.accountId);
    const instruction = await this.handlers.of(order).instruction(order);
    if (!this.macs.isWaiting(order, instruction, account)) throw new OrderChanged();
    const seq = (await this.usableNonce(order, account)) ?? signed?.seq ?? (await this.nonces.allocate(account.id));
    if (seq === undefined) throw new ChainUnavailable(CROWDED.message);
    return this.macs.approval(order, instruction, account, { approvedBy: keyId, approvedAt: this.clock.now(), seq });
  }

  /**
   * The nonce of an order that waits for approval, unless so many later ones are used that it may leave the nonce window. Nothing that was
   * signed with it can land: an order waits only once all its attempts are dead.
   */
  private async usableNonce({ seq }: Order, { chainAddress }: Account): Promise<bigint | undefined> {
    if (seq === null) return undefined;
    const onChain = await this.chain.accounts.find(chainAddress);
    return onChain && onChain.highestSeq - seq >= MAX_NONCE_AGE ? undefined : seq;
  }

  /**
   * Simulates the approval of an order and signs it, with what the operator has signed. Undefined if a rule declines it. Nothing is
   * stored or sent. @throws SignatureRequired; ChainUnavailableError
   */
  async sign(order: Order, { mac, ...approval }: Approval, signed: Signed | null): Promise<SignedOrder | undefined> {
    const approved = Object.assign(new Order(), order, { ...approval, approved: true, approvalMac: mac });
    const account = await this.accounts.findEver(order.operatorId, order.accountId);
    const simulated = await this.simulator.simulate(approved, account, await this.handlers.of(order).instruction(order));
    if (simulated.outcome.kind !== 'allowed') return undefined;
    const operator = await this.accounts.operatorOf(simulated.account, signed);
    try {
      return { seq: approval.seq, transaction: await simulated.instruction.sign(simulated.account, operator, approval.seq) };
    } catch (error) {
      throw SignatureRequired.with(error, { seq: approval.seq });
    }
  }
}
