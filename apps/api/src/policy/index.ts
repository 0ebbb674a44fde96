/** The public face of policy, for the features right of it. */
export {
  asGiven,
  CATEGORY,
  DEFAULT_POLICY,
  type GivenCounterparty,
  policyFields,
  type PolicyFields,
  UpdateFleetPolicyDto,
  UpdatePolicyDto,
} from './policy.dto';
export { changedPolicy, policyChanges } from './policy-changes';
export { periodView, type PeriodView } from './spending-period';
export { PolicyHolder } from './policy-holder.entity';
export { PolicyModule } from './policy.module';
export { NO_POLICY, PolicyService, requireVersion, toPolicyChange } from './policy.service';
export { applyVersioned, type VersionedChange } from './versioned-change';
