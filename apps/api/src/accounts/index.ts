/** What accounts offers to the features right of it. */
export { Account } from './account.entity';
export { AccountLeases } from './account-leases';
export { AccountsModule } from './accounts.module';
export { AccountsService } from './accounts.service';
export type { AccountView } from './accounts.dto';
export { PolicyLists } from './policy-lists';
export { DepositsService } from './deposits.service';
