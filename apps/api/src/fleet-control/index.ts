/** The public face of the routes of fleets. */
export { FleetControlModule } from './fleet-control.module';
