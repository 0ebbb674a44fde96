/** The public face of services, for the features right of it. */
export { ServicesModule } from './services.module';
