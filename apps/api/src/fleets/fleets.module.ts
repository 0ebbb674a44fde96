import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit';
import { EventsModule } from '../events';
import { JobsModule } from '../jobs/jobs.module';
import { KeysModule } from '../keys';
import { SecretsModule } from '../secrets';
import { PolicyModule } from '../policy';
import { SignaturesModule } from '../signatures';
import { Fleet } from './fleet.entity';
import { FleetCreationService } from './fleet-creation.service';
import { FleetMacsModule } from './fleet-macs.module';
import { FoundFleets } from './found-fleets.service';
import { FleetReader } from './fleet-reader';
import { FleetsService } from './fleets.service';
import { FleetsStore } from './fleets.store';

/** Fleets: accounts of one operator under one policy, one set of limits and one pause. */
@Module({
  imports: [
    TypeOrmModule.forFeature([Fleet]),
    FleetMacsModule,
    AuditModule,
    EventsModule,
    JobsModule,
    KeysModule,
    SecretsModule,
    PolicyModule,
    SignaturesModule,
  ],
  providers: [FleetReader, FleetsService, FleetsStore, FoundFleets, FleetCreationService],
  exports: [FleetReader, FleetsService, FleetsStore, FoundFleets, FleetCreationService],
})
export class FleetsModule {}
