/** The public face of policy, for the features right of it. */
export { CATEGORY, DEFAULT_POLICY, policyFields, UpdatePolicyDto, type PolicyFields, type PolicyView } from './policy.dto';
export { changedPolicy, policyChanges } from './policy-changes';
export { PolicyModule } from './policy.module';
export { PolicyService, requireVersion, toPolicyChange } from './policy.service';
