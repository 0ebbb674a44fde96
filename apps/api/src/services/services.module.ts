import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts';
import { AuditModule } from '../audit';
import { EgressClient } from '../egress/egress-client';
import { KeysModule } from '../keys';
import { PaymentsModule } from '../payments';
import { CataloguesService } from './catalogues.service';
import { ServicesController } from './services.controller';
import { ServicesService } from './services.service';

/** Services in catalogues that an operator allows. */
@Module({
  imports: [AuditModule, KeysModule, AccountsModule, PaymentsModule],
  controllers: [ServicesController],
  providers: [ServicesService, CataloguesService, EgressClient],
})
export class ServicesModule {}
