/** What providers offers to the features right of it. */
export { ProvidersModule } from './providers.module';
export { Providers } from './providers';
