import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KeysModule } from '../keys';
import { Event } from './event.entity';
import { EventTypesController } from './event-types.controller';
import { EventsController } from './events.controller';
import { EventsService } from './events.service';
import { OutboxService } from './outbox.service';

/** Events: written in the statement that makes the change they report, and listed by the API. */
@Module({
  imports: [TypeOrmModule.forFeature([Event]), KeysModule],
  controllers: [EventsController, EventTypesController],
  providers: [OutboxService, EventsService],
  exports: [OutboxService, EventsService],
})
export class EventsModule {}
