import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AuditModule } from '../audit';
import { DryRunGuard } from '../http/dry-run';
import { FairShare } from '../http/fair-share';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeyAccount } from './api-key-account.entity';
import { ApiKeyFleet } from './api-key-fleet.entity';
import { ApiKey } from './api-key.entity';
import { ApiKeysController } from './api-keys.controller';
import { ApiKeysService } from './api-keys.service';
import { AuthenticationGuard } from './authentication.guard';
import { AuthenticationService } from './authentication.service';
import { ApiKeyMacs } from './api-key-macs';
import { BrowserSessionsService } from './browser-sessions.service';
import { Operator } from './operator.entity';
import { OperatorLeases } from './operator-leases';
import { OperatorsService } from './operators.service';
import { RequestLimits } from './request-limits';
import { ResealingService } from './resealing.service';
import { SecretsModule } from '../secrets';

/** API keys and operators. Its guard authenticates every route of the application. */
@Module({
  imports: [TypeOrmModule.forFeature([Operator, ApiKey, ApiKeyAccount, ApiKeyFleet]), SecretsModule, AuditModule],
  controllers: [ApiKeysController],
  providers: [
    ApiKeysService,
    AuthenticationService,
    ApiKeyMacs,
    BrowserSessionsService,
    OperatorLeases,
    OperatorsService,
    RequestLimits,
    { provide: FairShare, useFactory: () => new FairShare() },
    ResealingService,
    { provide: APP_GUARD, useClass: AuthenticationGuard },
    { provide: APP_GUARD, useClass: DryRunGuard },
  ],
  exports: [ApiKeysService, AuthenticationService, BrowserSessionsService, OperatorLeases, OperatorsService],
})
export class KeysModule {}
