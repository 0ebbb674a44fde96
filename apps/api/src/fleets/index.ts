/** The public face of fleets, for the features right of it. */
export { Fleet } from './fleet.entity';
export type { FleetSpendingView, FleetView, MembershipView, PausedFleetView } from './fleets.dto';
export { FleetCreationService } from './fleet-creation.service';
export { FleetMacs } from './fleet-macs';
export { FleetMacsModule } from './fleet-macs.module';
export { FleetPauses } from './fleet-pauses';
export { FoundFleets } from './found-fleets.service';
export { FleetsModule } from './fleets.module';
export { FleetsService } from './fleets.service';
export { FleetsStore } from './fleets.store';
