import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SecretsModule } from '../../secrets';
import { AccountMacs } from './account-macs';
import { Account } from '../account.entity';

/** The codes of accounts. Apart from the accounts, because a command that writes codes again has no chain. */
@Module({ imports: [TypeOrmModule.forFeature([Account]), SecretsModule], providers: [AccountMacs], exports: [AccountMacs] })
export class AccountMacsModule {}
