import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts';
import { JobsModule } from '../jobs/jobs.module';
import { OrdersModule } from '../orders';
import { ProvidersModule } from '../providers';
import { PursesModule } from '../purses';
import { SecretsModule } from '../secrets';
import { ChannelClosingService } from './channel-closing.service';
import { ChannelPurseHandler } from './channel-purse.handler';
import { Channel } from './channel.entity';
import { ChannelStore } from './channel.store';
import { PurseKeys } from './purse-keys';

/** Channel purses: amounts that keys of the service's hold, out of which metered sellers open payment channels. */
@Module({
  imports: [TypeOrmModule.forFeature([Channel]), SecretsModule, AccountsModule, OrdersModule, ProvidersModule, PursesModule, JobsModule],
  providers: [ChannelPurseHandler, ChannelClosingService, ChannelStore, PurseKeys],
  exports: [ChannelPurseHandler, ChannelClosingService, ChannelStore, PurseKeys],
})
export class ChannelsModule {}
