import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { KeysModule } from '../keys/keys.module';
import { SweepsModule } from '../jobs/jobs.module';
import { AccountClosingService } from './account-closing.service';
import { AccountLeases } from './account-leases';
import { AuthorityRotationService } from './authority-rotation.service';
import { CustodyController } from './key-rotation.controller';
import { FeePayerService } from './fee-payer.service';
import { OperatorRotationService } from './operator-rotation.service';

/** Who signs on chain, and who pays for it. */
@Module({
  imports: [KeysModule, AccountsModule, SweepsModule],
  controllers: [CustodyController],
  providers: [AccountLeases, AuthorityRotationService, OperatorRotationService, AccountClosingService, FeePayerService],
})
export class CustodyModule {}
