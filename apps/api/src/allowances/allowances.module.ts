import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts';
import { OrdersModule } from '../orders';
import { ProvidersModule } from '../providers';
import { Allowances } from './allowances.service';

/** The common part of sessions and purses. */
@Module({ imports: [AccountsModule, OrdersModule, ProvidersModule], providers: [Allowances], exports: [Allowances] })
export class AllowancesModule {}
