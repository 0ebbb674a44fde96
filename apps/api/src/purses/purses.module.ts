import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts';
import { AllowancesModule } from '../allowances';
import { EventsModule } from '../events';
import { JobsModule } from '../jobs/jobs.module';
import { KeysModule } from '../keys';
import { LedgerModule } from '../ledger';
import { OrdersModule } from '../orders';
import { ProvidersModule } from '../providers';
import { SecretsModule } from '../secrets';
import { ChannelPurseStore } from './channel-purse.store';
import { PurseFinality } from './purse-finality';
import { PurseClosingService } from './purse-closing.service';
import { PurseEndings } from './purse-endings';
import { Purse } from './purse.entity';
import { PurseHandler } from './purse.handler';
import { PurseStore } from './purse.store';
import { PursesController } from './purses.controller';
import { SignaturesModule } from '../signatures';
import { PurseApproval } from './purse-approval.action';
import { PursesService } from './purses.service';

/** Purses: one on-chain allowance for many x402 payments. */
@Module({
  imports: [
    TypeOrmModule.forFeature([Purse]),
    SecretsModule,
    KeysModule,
    EventsModule,
    LedgerModule,
    AccountsModule,
    AllowancesModule,
    OrdersModule,
    ProvidersModule,
    SignaturesModule,
    JobsModule,
  ],
  controllers: [PursesController],
  providers: [PursesService, PurseApproval, PurseClosingService, PurseFinality, PurseEndings, PurseStore, ChannelPurseStore, PurseHandler],
  exports: [PursesService, PurseStore, ChannelPurseStore, PurseClosingService],
})
export class PursesModule {}
