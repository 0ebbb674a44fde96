import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module';
import { KeysModule } from '../keys/keys.module';
import { TransfersModule } from '../transfers/transfers.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { SweepsModule } from '../worker/sweeps.module';
import { SessionBook } from './session-book';
import { SessionClosingService } from './session-closing.service';
import { SessionKind, TopUpKind } from './session-kinds';
import { Session } from './session.entity';
import { SessionsController } from './sessions.controller';
import { SessionsService } from './sessions.service';

/** Paying providers. */
@Module({
  imports: [TypeOrmModule.forFeature([Session]), KeysModule, WebhooksModule, AccountsModule, TransfersModule, SweepsModule],
  controllers: [SessionsController],
  providers: [SessionsService, SessionClosingService, SessionBook, SessionKind, TopUpKind],
})
export class SessionsModule {}
