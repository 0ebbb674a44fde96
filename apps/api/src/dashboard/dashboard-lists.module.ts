import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts';
import { KeysModule } from '../keys';
import { PaymentsModule } from '../payments';
import { TransfersModule } from '../transfers';
import { BrowserSessionGuard, ExportsController } from './exports.controller';
import { DashboardPaymentsController } from './payments.controller';
import { DashboardRentController } from './rent.controller';

/** Lists of the dashboard over features that need the chain. */
@Module({
  imports: [AccountsModule, KeysModule, PaymentsModule, TransfersModule],
  controllers: [DashboardPaymentsController, DashboardRentController, ExportsController],
  providers: [BrowserSessionGuard],
})
export class DashboardListsModule {}
