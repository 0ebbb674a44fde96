import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts';
import { AuditModule } from '../audit';
import { EventsModule } from '../events';
import { JobsModule } from '../jobs/jobs.module';
import { LedgerModule } from '../ledger';
import { DatabaseSize } from '../persistence/database-size';
import { Admission } from './admission';
import { SecretsModule } from '../secrets';
import { ApprovalMacs } from './approval-macs';
import { ArrivalFinality } from './arrival-finality';
import { Attempt } from './attempt.entity';
import { Backfill } from './backfill';
import { OrderExecutions } from './executions';
import { HandedOrders } from './handed-orders';
import { HandedOrderStore } from './handed-order.store';
import { OpenOrdersMetrics } from './open-orders';
import { Finality } from './finality';
import { OrderFinality } from './order-finality';
import { OrderHandlers } from './order-handlers.service';
import { Order } from './order.entity';
import { OrderFees } from './order-fees';
import { OrderLists } from './order-lists';
import { OrderTags } from './order-tags';
import { OrderApprovals } from './order-approvals';
import { OrderLanding } from './order-landing';
import { OrderProcessor } from './order.processor';
import { OrderSimulator } from './order-simulator';
import { OrderTransitions } from './order-transitions';
import { LostOrderStore } from './lost-order.store';
import { OrderInsertions } from './order-insertions';
import { OrderStore } from './order.store';
import { OrderDrafts } from './order-drafts';
import { OrderForecasts } from './order-forecasts';
import { OrderReader } from './order-reader';
import { OrdersService } from './orders.service';
import { Recipients } from './recipients';
import { RecoveryService } from './recovery.service';
import { ShownOrders } from './shown-orders';
import { Restores } from './restores';

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
