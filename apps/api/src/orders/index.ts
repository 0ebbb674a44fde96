/** What orders offers to the features right of it. */
export { OrderHandlers, type Landed, type OrderHandler, type SideEffects } from './order-handlers.service';
export { Order, type NewOrder, type OrderStatus, type StoredViolation } from './order.entity';
export { RECIPIENT_REASONS } from './order.processor';
export { InvalidRecipient, Rejected, requireNoDecline } from './orders.errors';
export { OrdersModule } from './orders.module';
export { OrdersService, type Placed } from './orders.service';
export { Recipients, type Parties } from './recipients';
export { policyMember, storeViolation } from './violations';
