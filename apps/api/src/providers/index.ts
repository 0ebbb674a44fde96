/** The public face of providers, for the features right of it. */
export { ProvidersModule } from './providers.module';
export { AllowedHosts } from './allowed-hosts';
export { type AnswerLimits, type KnownProvider, limitsOf, Providers } from './providers';
