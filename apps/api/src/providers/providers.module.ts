import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountMacsModule } from '../accounts';
import { AuditModule } from '../audit';
import { KeysModule } from '../keys';
import { SecretsModule } from '../secrets';
import { AllowedHosts } from './allowed-hosts';
import { Provider } from './provider.entity';
import { Providers } from './providers';
import { ProvidersController } from './providers.controller';

/** Pinned providers. */
@Module({
  imports: [TypeOrmModule.forFeature([Provider]), AccountMacsModule, SecretsModule, AuditModule, KeysModule],
  controllers: [ProvidersController],
  providers: [AllowedHosts, Providers],
  exports: [AllowedHosts, Providers],
})
export class ProvidersModule {}
