import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AuditModule } from '../audit';
import { DryRunGuard } from '../http/dry-run';
import { FairShare } from '../http/limits/fair-share';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeyAccount } from './api-keys/api-key-account.entity';
import { ApiKeyFleet } from './api-keys/api-key-fleet.entity';
import { ApiKey } from './api-keys/api-key.entity';
import { ApiKeysController } from './api-keys/api-keys.controller';
import { ApiKeysService } from './api-keys/api-keys.service';
import { AuthenticationGuard } from './authentication/authentication.guard';
import { AuthenticationService } from './authentication/authentication.service';
import { ApiKeyMacs } from './api-keys/api-key-macs';
import { BrowserSessionsService } from './authentication/browser-sessions.service';
import { KeyUses } from './authentication/key-uses';
import { Operator } from './operators/operator.entity';
import { OperatorLeases } from './operators/operator-leases';
import { OperatorsService } from './operators/operators.service';
import { RequestLimits } from './authentication/request-limits';
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
    KeyUses,
    { provide: FairShare, useFactory: (uses: KeyUses) => new FairShare((known) => uses.areOthers(known)), inject: [KeyUses] },
    ResealingService,
    { provide: APP_GUARD, useClass: AuthenticationGuard },
    { provide: APP_GUARD, useClass: DryRunGuard },
  ],
  exports: [ApiKeysService, AuthenticationService, BrowserSessionsService, OperatorLeases, OperatorsService],
})
export class KeysModule {}
