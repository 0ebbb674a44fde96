/** The public face of orders, for the features right of it. */
export { Admission } from './admission';
export { ApprovalAction, type ApprovalParameters } from './approval.action';
export { Backfill } from './backfill';
export { HandedOrders } from './handed-orders';
export { type Fees, OrderFees } from './order-fees';
export { isPolicyReverted, POLICY_REVERTED, underCurrentPolicy } from './current-policy';
export { FINAL_AND_OPEN, OrderLists, partsOfKey } from './order-lists';
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
export { RECIPIENT_REASONS } from './order-failures';
export { declinedBy, type Simulated } from './order-simulator';
export type { OrderStatus } from './order.states';
export { InvalidRecipient, Rejected, requireNoDecline } from './orders.errors';
export { OrdersModule } from './orders.module';
export { OrderForecasts } from './order-forecasts';
export { isRerunnable, OrderDrafts } from './order-drafts';
export { OrderReader } from './order-reader';
export { OrdersService, type Placed } from './orders.service';
export { Recipients, type Parties } from './recipients';
export { withoutKeys } from './approval-macs';
export { hashOfMemo, hashOfRequest, requireSameRequest } from './request-hash';
export { Finality, type Judged, type Settled, type SettledFacts } from './finality';
export { OrderTags } from './order-tags';
export { Restores } from './restores';
export { policyMember, storeViolation } from './violations';
