import { Global, Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { dataSourceOptions } from '#database';
import { Clock } from './clock';
import { Config } from './config';
import { HealthController } from './http/health.controller';
import { KeysModule } from './keys/keys.module';
import { WebhooksModule } from './webhooks/webhooks.module';
import { WorkerModule } from './worker/worker.module';

/** The features, in their line. */
const FEATURES = [KeysModule, WebhooksModule];

/** What every feature may ask for: the settings and the clock. */
@Global()
@Module({})
class GroundModule {
  static for(config: Config): DynamicModule {
    return { module: GroundModule, providers: [{ provide: Config, useValue: config }, Clock], exports: [Config, Clock] };
  }
}

/** The whole application. A process that does the background work is one with the worker in it. */
@Module({})
export class AppModule {
  static for(config: Config, { worker = false } = {}): DynamicModule {
    return {
      module: AppModule,
      imports: [
        GroundModule.for(config),
        TypeOrmModule.forRoot({ ...dataSourceOptions({ url: config.DATABASE_URL, applicationName: 'agent-payment-service' }), autoLoadEntities: true, retryAttempts: 0 }),
        ...FEATURES,
        ...(worker ? [WorkerModule.for(config)] : []),
      ],
      controllers: [HealthController],
    };
  }
}
