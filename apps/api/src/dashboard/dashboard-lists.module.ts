import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts';
import { KeysModule } from '../keys';
import { OrdersModule } from '../orders';
import { PaymentsModule } from '../payments';
import { StatementsModule } from '../statements';
import { TransfersModule } from '../transfers';
import { BrowserSessionGuard } from './browser-session.guard';
import { ExportsController } from './exports.controller';
import { DashboardPaymentsController } from './payments.controller';
import { DashboardRentController } from './rent.controller';

/** Lists of the dashboard over features that need the chain. */
@Module({
  imports: [AccountsModule, KeysModule, OrdersModule, PaymentsModule, StatementsModule, TransfersModule],
  controllers: [DashboardPaymentsController, DashboardRentController, ExportsController],
  providers: [BrowserSessionGuard],
})
export class DashboardListsModule {}
