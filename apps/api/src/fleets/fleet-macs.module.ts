import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SecretsModule } from '../secrets';
import { Fleet } from './fleet.entity';
import { FleetMacs } from './fleet-macs';

/** The codes of fleets. Apart from the fleets, because a command that writes codes again has no chain. */
@Module({ imports: [TypeOrmModule.forFeature([Fleet]), SecretsModule], providers: [FleetMacs], exports: [FleetMacs] })
export class FleetMacsModule {}
