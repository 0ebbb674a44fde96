import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Event } from './event.entity';
import { OutboxService } from './outbox.service';

/** What the service tells the outside: events, written with their facts. */
@Module({
  imports: [TypeOrmModule.forFeature([Event])],
  providers: [OutboxService],
  exports: [OutboxService],
})
export class WebhooksModule {}
