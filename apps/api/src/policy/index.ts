/** What policy offers to the features right of it. */
export { CATEGORY, DEFAULT_POLICY, policyFields, UpdatePolicyDto, type PolicyFields, type PolicyView } from './policy.dto';
export { PolicyModule } from './policy.module';
export { PolicyService, toPolicyChange } from './policy.service';
