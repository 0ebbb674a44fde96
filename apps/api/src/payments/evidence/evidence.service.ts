import { Injectable } from '@nestjs/common';
import { isId } from '#database';
import { AccountsService } from '../../accounts';
import { type Caller, covers } from '../../http/caller';
import { NotFound } from '../../http/domain.errors';
import { OrderReader } from '../../orders';
import { PurseStore } from '../../purses';
import { Credentials } from '../process/credentials';
import type { Payment } from '../payment.entity';
import { PaymentStore } from '../payment.store';
import type { AnswerEvidence, DemandEvidence, RequestEvidence } from './evidence-seals';
import { EvidenceSeals } from './evidence-seals';
import { EvidenceStore, type StoredEvidence } from './evidence.store';
import type { ApprovalView, DecisionView, EvidenceView } from './evidence.dto';
import { receiptsOf } from './receipts';

/** Collects what proves a payment. Reads rows that do not change once the payment is final, and nothing else: no chain, no provider. */
@Injectable()
export class EvidenceService {
  constructor(
    private readonly payments: PaymentStore,
    private readonly store: EvidenceStore,
    private readonly seals: EvidenceSeals,
    private readonly credentials: Credentials,
    private readonly accounts: AccountsService,
    private readonly orders: OrderReader,
    private readonly purses: PurseStore,
  ) {}

  /** @throws NotFound for a payment that the caller may not see. */
  async of(caller: Caller, id: string): Promise<EvidenceView> {
    const payment = isId('pay', id) ? await this.payments.findOf(caller.operatorId, id) : undefined;
    if (!payment || !covers(caller, payment.accountId)) throw new NotFound('There is no such payment.');
    const stored = await this.store.find(id);
    const challenge = this.seals.open<DemandEvidence>(id, stored.demand);
    const response = this.seals.open<AnswerEvidence>(id, stored.answer);
    const { signature } = payment;
    return {
      payment_id: id,
      request: this.seals.open<RequestEvidence>(id, stored.request),
      challenge,
      decision: await this.decision(payment, stored),
      credential: this.credential(payment),
      transaction: signature === null ? null : { signature, slot: stored.slot },
      response,
      receipts: receiptsOf({
        payment,
        payers: await this.payers(payment),
        asked: challenge?.headers ?? {},
        answered: response?.headers ?? {},
      }),
    };
  }

  private async decision(payment: Payment, { policy, version }: StoredEvidence): Promise<DecisionView | null> {
    if (version === null) return null;
    const { violation } = payment;
    return { policy, version, rules: violation ? [{ ...violation }] : [], approval: await this.approval(payment) };
  }

  /** A session or purse has the id of the order that opened it. */
  private async approval({ sessionId, purseId, orderId }: Payment): Promise<ApprovalView | null> {
    const id = sessionId ?? purseId ?? orderId;
    const order = id === null ? undefined : await this.orders.findIfStored(id);
    if (!order?.approved) return null;
    return { id: order.id, approved_by: order.approvedBy, approved_at: order.approvedAt?.toISOString() ?? null };
  }

  private credential(payment: Payment): EvidenceView['credential'] {
    if (payment.credentialSealed === null) return null;
    const { header, value } = this.credentials.open(payment);
    return { header, value };
  }

  private async payers({ operatorId, accountId, delegateKey, purseId }: Payment): Promise<(string | null)[]> {
    const { chainAddress } = await this.accounts.findEver(operatorId, accountId);
    const purse = purseId === null ? undefined : await this.purses.findIfStored(purseId);
    return [chainAddress, delegateKey, purse?.delegateKey ?? null];
  }
}
