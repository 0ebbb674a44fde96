import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts';
import { JobsModule } from '../jobs/jobs.module';
import { LedgerModule } from '../ledger';
import { PursesModule } from '../purses';
import { ChannelClosingService } from './channel-closing.service';
import { Channel } from './channel.entity';
import { ChannelStore } from './channel.store';
import { MppChannels } from './mpp-channels.service';
import { PurseChannelsController } from './purse-channels.controller';
import { PurseChannels } from './purse-channels.service';

/** The payment channels that metered sellers open out of channel purses, and the end of both. */
@Module({
  imports: [TypeOrmModule.forFeature([Channel]), LedgerModule, AccountsModule, PursesModule, JobsModule],
  controllers: [PurseChannelsController],
  providers: [PurseChannels, MppChannels, ChannelClosingService, ChannelStore],
  exports: [ChannelClosingService, ChannelStore],
})
export class ChannelsModule {}
