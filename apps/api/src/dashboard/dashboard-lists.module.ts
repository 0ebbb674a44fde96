import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts';
import { KeysModule } from '../keys';
import { OrdersModule } from '../orders';
import { PaymentsModule } from '../payments';
import { StatementsModule } from '../statements';
import { TransfersModule } from '../transfers';
import { BrowserSessionGuard } from './sign-in/browser-session.guard';
import { ExportsController } from './data/exports.controller';
import { DashboardPaymentsController } from './data/payments.controller';
import { DashboardRentController } from './data/rent.controller';

/** Lists of the dashboard over features that need the chain. */
@Module({
  imports: [AccountsModule, KeysModule, OrdersModule, PaymentsModule, StatementsModule, TransfersModule],
  controllers: [DashboardPaymentsController, DashboardRentController, ExportsController],
  providers: [BrowserSessionGuard],
})
export class DashboardListsModule {}
