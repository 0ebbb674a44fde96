import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts';
import { BulkModule } from '../bulk';
import { FleetsModule } from '../fleets';
import { KeysModule } from '../keys';
import { PursesModule } from '../purses';
import { SignaturesModule } from '../signatures';
import { FleetPauses } from './fleet-pauses';
import { FleetCloseAction, FleetCreateAction, FleetLimitsAction, FleetPolicyAction } from './fleets.actions';
import { FleetsController } from './fleets.controller';

/** The routes of fleets. They name accounts as counterparties, and a pause ends purses by a job: features right of fleets themselves. */
@Module({
  imports: [AccountsModule, BulkModule, FleetsModule, KeysModule, PursesModule, SignaturesModule],
  controllers: [FleetsController],
  providers: [FleetPauses, FleetCreateAction, FleetPolicyAction, FleetLimitsAction, FleetCloseAction],
})
export class FleetControlModule {}
