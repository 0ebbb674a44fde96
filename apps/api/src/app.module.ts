import { Global, Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Chain } from '#chain';
import { dataSourceOptions } from '#database';
import { AccountsModule } from './accounts/accounts.module';
import { Clock } from './runtime/clock';
import { Config } from './runtime/config';
import { CrashPoints } from './runtime/failpoints';
import { CustodyModule } from './key-rotation/key-rotation.module';
import { DashboardModule } from './dashboard/dashboard.module';
import { Draining } from './runtime/draining';
import { HealthController } from './http/health.controller';
import { MetricsController } from './http/metrics.controller';
import { SandboxController } from './sandbox/sandbox.controller';
import { KeysModule } from './keys/keys.module';
import { Metrics } from './runtime/metrics';
import { PolicyModule } from './policy/policy.module';
import { SessionsModule } from './sessions/sessions.module';
import { TransfersModule } from './transfers/transfers.module';
import { WebhooksModule } from './webhooks/webhooks.module';
import { ReconciliationModule } from './reconciliation/reconciliation.module';
import { WorkerModule } from './jobs/worker.module';

/** The features, in their line. */
const FEATURES = [KeysModule, WebhooksModule];
/** Those that need the chain, and what compares them with it. */
const CHAIN_FEATURES = [PolicyModule, AccountsModule, CustodyModule, TransfersModule, SessionsModule, ReconciliationModule];

/** What every feature may ask for: the settings, the clock, and where to leave its metrics. */
@Global()
@Module({})
class GroundModule {
  static for(config: Config, chain: Chain | undefined): DynamicModule {
    const port = chain ? [{ provide: Chain, useValue: chain }, CrashPoints] : [];
    return {
      module: GroundModule,
      providers: [{ provide: Config, useValue: config }, Clock, Metrics, Draining, ...port],
      exports: [Config, Clock, Metrics, Draining, ...(chain ? [Chain, CrashPoints] : [])],
    };
  }
}

/** The whole application; without a chain only what does not need one: operators and keys. A process that does the background work is one with the worker in it. */
@Module({})
export class AppModule {
  static for(config: Config, { chain, worker = false }: { chain?: Chain; worker?: boolean } = {}): DynamicModule {
    return {
      module: AppModule,
      imports: [
        GroundModule.for(config, chain),
        TypeOrmModule.forRoot({
          ...dataSourceOptions({ url: config.DATABASE_URL, applicationName: 'agent-payment-service' }),
          autoLoadEntities: true,
          retryAttempts: 0,
        }),
        ...FEATURES,
        ...(chain ? CHAIN_FEATURES : []),
        DashboardModule,
        ...(worker ? [WorkerModule.for(config)] : []),
      ],
      controllers: chain ? [HealthController, MetricsController, SandboxController] : [HealthController, MetricsController],
    };
  }
}
