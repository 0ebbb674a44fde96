import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts';
import { AuditModule } from '../audit';
import { EventsModule } from '../events';
import { JobsModule } from '../jobs/jobs.module';
import { LedgerModule } from '../ledger';
import { DatabaseSize } from '../persistence/database-size';
import { Admission } from './placing/admission';
import { SecretsModule } from '../secrets';
import { ApprovalMacs } from './approvals/approval-macs';
import { ArrivalFinality } from './finality/arrival-finality';
import { Attempt } from './store/attempt.entity';
import { Backfill } from './backfill/backfill';
import { OrderExecutions } from './processing/executions';
import { HandedOrders } from './placing/handed-orders';
import { HandedOrderStore } from './store/handed-order.store';
import { OpenOrdersMetrics } from './store/open-orders';
import { Finality } from './finality/finality';
import { OrderFinality } from './finality/order-finality';
import { OrderHandlers } from './order-handlers.service';
import { Order } from './order.entity';
import { OrderFees } from './store/order-fees';
import { OrderLists } from './store/order-lists';
import { OrderTags } from './placing/order-tags';
import { OrderApprovals } from './approvals/order-approvals';
import { OrderLanding } from './processing/order-landing';
import { OrderProcessor } from './processing/order.processor';
import { OrderSimulator } from './processing/order-simulator';
import { OrderTransitions } from './processing/order-transitions';
import { LostOrderStore } from './backfill/lost-order.store';
import { NonceStore } from './store/nonce.store';
import { OrderInsertions } from './store/order-insertions';
import { OrderStore } from './store/order.store';
import { OrderDrafts } from './placing/order-drafts';
import { OrderForecasts } from './placing/order-forecasts';
import { OrderReader } from './store/order-reader';
import { OrdersService } from './orders.service';
import { Recipients } from './placing/recipients';
import { RecoveryService } from './processing/recovery.service';
import { ShownOrders } from './backfill/shown-orders';
import { Restores } from './backfill/restores';

/** Orders of every kind: placed, simulated, signed, submitted and settled, once each. */
@Module({
  imports: [TypeOrmModule.forFeature([Order, Attempt]), SecretsModule, AuditModule, EventsModule, AccountsModule, LedgerModule, JobsModule],
  providers: [
    ApprovalMacs,
    OrdersService,
    OrderReader,
    OrderDrafts,
    OrderForecasts,
    OrderProcessor,
    OrderSimulator,
    OrderTransitions,
    OrderLanding,
    OrderApprovals,
    RecoveryService,
    OpenOrdersMetrics,
    OrderExecutions,
    Backfill,
    OrderStore,
    NonceStore,
    OrderInsertions,
    HandedOrders,
    HandedOrderStore,
    LostOrderStore,
    Admission,
    DatabaseSize,
    OrderFees,
    OrderLists,
    OrderHandlers,
    OrderTags,
    Finality,
    OrderFinality,
    ArrivalFinality,
    Recipients,
    Restores,
    ShownOrders,
  ],
  exports: [
    Admission,
    Backfill,
    DatabaseSize,
    Finality,
    OrderDrafts,
    OrderReader,
    HandedOrders,
    OrderFees,
    OrderHandlers,
    OrderLists,
    OrderForecasts,
    OrdersService,
    OrderTags,
    Recipients,
    Restores,
  ],
})
export class OrdersModule {}
