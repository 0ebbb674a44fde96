/** The public face of fleets, for the features right of it. */
export { Fleet } from './fleet.entity';
export {
  ChangeFleetDto,
  CreateFleetDto,
  type FleetPolicyDryRunView,
  type FleetPolicyView,
  type FleetSpendingView,
  type FleetView,
  type LimitsDryRunView,
  type LimitsView,
  ListFleetsQuery,
  type MembershipView,
  type PausedFleetView,
  UpdateLimitsDto,
} from './fleets.dto';
export { FleetCreationService } from './fleet-creation.service';
export { FleetMacs } from './fleet-macs';
export { FleetMacsModule } from './fleet-macs.module';
export { FoundFleets } from './found-fleets.service';
export { FleetsModule } from './fleets.module';
export { FleetReader, limitsView, policyView } from './fleet-reader';
export { type Changing, FleetsService } from './fleets.service';
export { FleetsStore } from './fleets.store';
