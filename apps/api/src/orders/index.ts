/** The public face of orders, for the features right of it. */
export { Admission } from './placing/admission';
export { ApprovalAction, type ApprovalParameters } from './approvals/approval.action';
export { Backfill } from './backfill/backfill';
export { HandedOrders } from './placing/handed-orders';
export { type Fees, OrderFees } from './store/order-fees';
export { isPolicyReverted, POLICY_REVERTED, underCurrentPolicy } from './processing/current-policy';
export { FINAL_AND_OPEN, OrderLists, partsOfKey } from './store/order-lists';
export { UNRESOLVED_STATUSES } from './order.states';
export {
  OrderHandlers,
  type Landed,
  type FoundOrder,
  type OrderHandler,
  type OrderInstruction,
  type OrderOutcome,
  type ShownOrder,
  type SideEffects,
} from './order-handlers.service';
export { Order, type NewOrder, type OrderKind, type StoredViolation } from './order.entity';
export { RECIPIENT_REASONS } from './processing/order-failures';
export { declinedBy, type Simulated } from './processing/order-simulator';
export type { OrderStatus } from './order.states';
export { InvalidRecipient, Rejected, requireNoDecline } from './orders.errors';
export { OrdersModule } from './orders.module';
export { OrderForecasts } from './placing/order-forecasts';
export { isRerunnable, OrderDrafts } from './placing/order-drafts';
export { OrderReader } from './store/order-reader';
export { OrdersService, type Placed } from './orders.service';
export { Recipients, type Parties } from './placing/recipients';
export { withoutKeys } from './approvals/approval-macs';
export { hashOfMemo, hashOfRequest, requireSameRequest } from './placing/request-hash';
export { Finality, type Judged, type Settled, type SettledFacts } from './finality/finality';
export { OrderTags } from './placing/order-tags';
export { Restores } from './backfill/restores';
export { policyMember, storeViolation } from './processing/violations';
export { effectRows } from './store/effect-rows';
