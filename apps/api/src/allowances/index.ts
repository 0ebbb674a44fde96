/** The public face of allowances, for the features right of it. */
export { Allowance } from './allowance.entity';
export { AllowancesModule } from './allowances.module';
export { type AllowanceAnswer, type AllowanceKind, type AllowanceList, Allowances } from './allowances.service';
export { chainFault } from './chain-fault';
export {
  type EarlierOpening,
  escalationOf,
  OPENED,
  type Opening,
  type OpeningFacts,
  openingMembers,
  type PreparedOpening,
  STATUS_BY_OPENING,
  UNKNOWN_OPENING,
} from './opening';
