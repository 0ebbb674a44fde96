import { Global, Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Chain } from '#chain';
import { dataSourceOptions } from '#database';
import { AccountMacsModule, AccountsModule } from './accounts';
import { ArchiveModule } from './archive';
import { AuditModule } from './audit';
import { BulkModule } from './bulk';
import { Clock } from './runtime/clock';
import { ChannelsModule } from './channels';
import { Config } from './runtime/config';
import { FeePayerBalance } from './runtime/observability/fee-payer-balance';
import { Failpoints } from './runtime/failpoints';
import { KeySources } from './key-sources';
import { KeyRotationModule } from './key-rotation';
import { DashboardListsModule, DashboardModule } from './dashboard';
import { Draining } from './runtime/process/draining';
import { HealthController } from './site/health.controller';
import { MetricsController } from './site/metrics.controller';
import { DocsSiteController } from './site/docs-site.controller';
import { ReferenceController } from './site/reference.controller';
import { SandboxController } from './sandbox';
import { KeysModule } from './keys';
import { McpModule } from './mcp';
import { ChainMetrics } from './runtime/observability/chain-metrics';
import { DatabaseMetrics } from './runtime/observability/database-metrics';
import { Metrics } from './runtime/observability/metrics';
import { PolicyModule } from './policy';
import { EventsModule } from './events';
import { FleetControlModule } from './fleet-control';
import { FleetMacsModule, FleetsModule } from './fleets';
import { LedgerModule } from './ledger';
import { OrdersModule } from './orders';
import { PaymentsModule } from './payments';
import { ProvidersModule } from './providers';
import { PushModule } from './push';
import { PursesModule } from './purses';
import { SecretsModule } from './secrets';
import { ServicesModule } from './services';
import { SessionsModule } from './sessions';
import { SignaturesModule } from './signatures';
import { StatementsModule } from './statements';
import { TransfersModule } from './transfers';
import { WebhooksModule } from './webhooks';
import { ReconciliationModule } from './reconciliation';
import { JobsModule } from './jobs/jobs.module';
import { TableStatistics } from './jobs/table-statistics';
import { WorkerModule } from './jobs/worker.module';

/** The features, in their line. */
const FEATURES = [SecretsModule, AuditModule, KeysModule, EventsModule, WebhooksModule, PushModule];
/** Modules that need the chain, and the reconciliation with it. */
const CHAIN_FEATURES = [
  SignaturesModule,
  PolicyModule,
  LedgerModule,
  FleetsModule,
  AccountsModule,
  OrdersModule,
  TransfersModule,
  ProvidersModule,
  SessionsModule,
  PursesModule,
  ChannelsModule,
  PaymentsModule,
  ServicesModule,
  StatementsModule,
  BulkModule,
  FleetControlModule,
  McpModule,
  KeyRotationModule,
  ReconciliationModule,
  DashboardListsModule,
];

/** Without a chain, for commands: those whose rows have codes, which are written again, and the archive. */
const COMMAND_FEATURES = [FleetMacsModule, AccountMacsModule, ProvidersModule, ArchiveModule];

/** Parts of a process that uses the chain. */
interface Online {
  chain: Chain;
  /** The sources of the key of the treasury. */
  keySources: KeySources;
  /** Whether it does the background work. */
  worker?: boolean;
}

/** The services that every feature may ask for: the settings, the clock, and where to leave its metrics. */
@Global()
@Module({})
class GroundModule {
  static for(config: Config, online: Online | undefined): DynamicModule {
    const port = online
      ? [
          { provide: Chain, useValue: online.chain },
          { provide: KeySources, useValue: online.keySources },
          ChainMetrics,
          FeePayerBalance,
          Failpoints,
        ]
      : [];
    return {
      module: GroundModule,
      providers: [{ provide: Config, useValue: config }, Clock, Metrics, Draining, ...port],
      exports: [Config, Clock, Metrics, Draining, ...(online ? [Chain, KeySources, FeePayerBalance, Failpoints] : [])],
    };
  }
}

/**
 * The whole application; without a chain only what does not need one: operators and keys. A process that does the background work is one
 * with the worker in it.
 */
@Module({})
export class AppModule {
  static for(config: Config, online?: Online): DynamicModule {
    return {
      module: AppModule,
      imports: [
        GroundModule.for(config, online),
        TypeOrmModule.forRoot({
          ...dataSourceOptions({ url: config.DATABASE_URL, applicationName: 'agent-payment-service' }),
          autoLoadEntities: true,
          retryAttempts: 0,
        }),
        JobsModule,
        ...FEATURES,
        ...(online ? CHAIN_FEATURES : COMMAND_FEATURES),
        DashboardModule,
        ...(online?.worker ? [WorkerModule.for(config)] : []),
      ],
      providers: [DatabaseMetrics, TableStatistics],
      controllers: [HealthController, MetricsController, ReferenceController, DocsSiteController, ...(online ? [SandboxController] : [])],
    };
  }
}
