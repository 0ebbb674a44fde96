import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts';
import { AuditModule } from '../audit';
import { EventsModule } from '../events';
import { JobsModule } from '../jobs/jobs.module';
import { LedgerModule } from '../ledger';
import { Attempt } from './attempt.entity';
import { Backfill } from './backfill';
import { OrderExecutions } from './executions';
import { OrderHandlers } from './order-handlers.service';
import { Order } from './order.entity';
import { OrderLists } from './order-lists';
import { OrderProcessor } from './order.processor';
import { OrderStore } from './order.store';
import { OrdersService } from './orders.service';
import { Recipients } from './recipients';
import { RecoveryService } from './recovery.service';

/** Orders of every kind: placed, simulated, signed, submitted and settled, once each. */
@Module({
  imports: [TypeOrmModule.forFeature([Order, Attempt]), AuditModule, EventsModule, AccountsModule, LedgerModule, JobsModule],
  providers: [OrdersService, OrderProcessor, RecoveryService, OrderExecutions, Backfill, OrderStore, OrderLists, OrderHandlers, Recipients],
  exports: [OrderHandlers, OrderLists, OrdersService, Recipients],
})
export class OrdersModule {}
