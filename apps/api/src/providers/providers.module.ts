import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit';
import { KeysModule } from '../keys';
import { Provider } from './provider.entity';
import { Providers, ProvidersController } from './providers';

/** Pinned providers. */
@Module({
  imports: [TypeOrmModule.forFeature([Provider]), AuditModule, KeysModule],
  controllers: [ProvidersController],
  providers: [Providers],
  exports: [Providers],
})
export class ProvidersModule {}
