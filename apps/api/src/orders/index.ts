/** What orders offers to the features right of it. */
export { ApprovalAction, type ApprovalParameters } from './approval.action';
export { FINAL_AND_OPEN, OrderLists, partsOfKey } from './order-lists';
export { UNRESOLVED_STATUSES } from './order.states';
export { OrderHandlers, type Landed, type OrderHandler, type OrderInstruction, type SideEffects } from './order-handlers.service';
export { Order, type NewOrder, type StoredViolation } from './order.entity';
export { RECIPIENT_REASONS, type Simulated } from './order.processor';
export type { OrderStatus } from './order.states';
export { InvalidRecipient, Rejected, requireNoDecline } from './orders.errors';
export { OrdersModule } from './orders.module';
export { isRerunnable, OrdersService, type Placed } from './orders.service';
export { Recipients, type Parties } from './recipients';
export { hashOfRequest, requireSameRequest } from './request-hash';
export { policyMember, storeViolation } from './violations';
