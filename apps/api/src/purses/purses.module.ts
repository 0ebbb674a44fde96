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
import { ChannelPurseHandler } from './orders/channel-purse.handler';
import { ChannelPurseStore } from './store/channel-purse.store';
import { PurseFinality } from './closing/purse-finality';
import { PurseDrafts } from './orders/purse-drafts';
import { PurseEndings } from './closing/purse-endings';
import { PurseKeys } from './orders/purse-keys';
import { PurseLockStore } from './store/purse-lock.store';
import { PurseLocks } from './store/purse-locks';
import { Purse } from './purse.entity';
import { PurseHandler } from './orders/purse.handler';
import { PurseStore } from './store/purse.store';
import { PursesController } from './purses.controller';
import { SignaturesModule } from '../signatures';
import { PurseApproval } from './orders/purse-approval.action';
import { PursesService } from './purses.service';

/** Purses: an amount for many payments, as an on-chain allowance or held by a key for payment channels. */
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
  providers: [
    PursesService,
    PurseDrafts,
    PurseLocks,
    PurseLockStore,
    PurseKeys,
    PurseApproval,
    PurseFinality,
    PurseEndings,
    PurseStore,
    ChannelPurseStore,
    PurseHandler,
    ChannelPurseHandler,
  ],
  exports: [PursesService, PurseLocks, PurseKeys, PurseStore, ChannelPurseStore, ChannelPurseHandler, PurseEndings],
})
export class PursesModule {}
