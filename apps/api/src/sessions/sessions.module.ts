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
import { SessionEnds } from './closing/session-ends';
import { SessionFinality } from './closing/session-finality';
import { SessionClosingService } from './closing/session-closing.service';
import { Session } from './session.entity';
import { SessionOpeningHandler, TopUpHandler } from './orders/session.handlers';
import { SessionDrafts } from './orders/session-drafts';
import { SessionReader } from './store/session-reader';
import { SessionStore } from './store/session.store';
import { SessionVouchers } from './store/session-vouchers';
import { SessionTopUpsService } from './orders/session-top-ups.service';
import { SessionsController } from './sessions.controller';
import { SignaturesModule } from '../signatures';
import { SessionApproval } from './orders/session-approval.action';
import { SessionsService } from './sessions.service';

/** Sessions: a cap in escrow for one provider, paid out by vouchers. */
@Module({
  imports: [
    TypeOrmModule.forFeature([Session]),
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
  controllers: [SessionsController],
  providers: [
    SessionsService,
    SessionTopUpsService,
    SessionApproval,
    SessionClosingService,
    SessionEnds,
    SessionFinality,
    SessionReader,
    SessionStore,
    SessionDrafts,
    SessionVouchers,
    SessionOpeningHandler,
    TopUpHandler,
  ],
  exports: [SessionsService, SessionReader, SessionVouchers, SessionClosingService],
})
export class SessionsModule {}
