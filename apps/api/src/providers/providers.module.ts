import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit';
import { KeysModule } from '../keys';
import { SecretsModule } from '../secrets';
import { Provider } from './provider.entity';
import { Providers, ProvidersController } from './providers';

/** Pinned providers. */
@Module({
  imports: [TypeOrmModule.forFeature([Provider]), SecretsModule, AuditModule, KeysModule],
  controllers: [ProvidersController],
  providers: [Providers],
  exports: [Providers],
})
export class ProvidersModule {}
