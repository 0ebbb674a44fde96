import { Module } from '@nestjs/common';
import { AuditModule } from '../audit';
import { AccountsModule } from '../accounts';
import { OrdersModule } from '../orders';
import { SecretsModule } from '../secrets';
import { KeysModule } from '../keys';
import { JobsModule } from '../jobs/jobs.module';
import { AccountClosingService } from './account-closing.service';
import { AuthorityRotationService } from './authority-rotation.service';
import { KeyRotationController } from './key-rotation.controller';
import { FeePayerService } from './fee-payer.service';
import { OperatorRotationService } from './operator-rotation.service';

/** Rotation of authority and operator keys, closing of accounts, and the fee payer. */
@Module({
  imports: [SecretsModule, AuditModule, KeysModule, AccountsModule, OrdersModule, JobsModule],
  controllers: [KeyRotationController],
  providers: [AuthorityRotationService, OperatorRotationService, AccountClosingService, FeePayerService],
})
export class KeyRotationModule {}
