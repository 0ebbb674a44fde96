import { Module } from '@nestjs/common';
import { AuditModule } from '../audit';
import { EventsModule } from '../events';
import { AccountsModule } from '../accounts';
import { FleetsModule } from '../fleets';
import { OrdersModule } from '../orders';
import { PursesModule } from '../purses';
import { SecretsModule } from '../secrets';
import { KeysModule } from '../keys';
import { JobsModule } from '../jobs/jobs.module';
import { AccountClosingService } from './account-closing.service';
import { AuthorityRotationService } from './authority-rotation.service';
import { KeyRotationController } from './key-rotation.controller';
import { FeePayerService } from './fee-payer.service';
import { SignaturesModule } from '../signatures';
import { SurplusRentService } from './rent/surplus-rent.service';
import { ChainKeyService } from './chain-key.service';
import { AccountClosingAction, AuthorityRotationAction, HandOverAction, OperatorRotationAction, SweepAction } from './custody.actions';
import { OperatorRotationService } from './operator-rotation.service';

/** Rotation of authority and operator keys, closing of accounts, and the fee payer. */
@Module({
  imports: [
    SecretsModule,
    AuditModule,
    KeysModule,
    AccountsModule,
    FleetsModule,
    OrdersModule,
    PursesModule,
    JobsModule,
    SignaturesModule,
    EventsModule,
  ],
  controllers: [KeyRotationController],
  providers: [
    AuthorityRotationService,
    OperatorRotationService,
    ChainKeyService,
    AccountClosingService,
    FeePayerService,
    SurplusRentService,
    AuthorityRotationAction,
    AccountClosingAction,
    SweepAction,
    OperatorRotationAction,
    HandOverAction,
  ],
  exports: [AuthorityRotationService],
})
export class KeyRotationModule {}
