export { StatementsModule } from './statements.module';
