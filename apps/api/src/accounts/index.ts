/** What accounts offers to the features right of it. */
export { Account } from './account.entity';
export { AccountsModule } from './accounts.module';
export { AccountsService } from './accounts.service';
export type { AccountView } from './accounts.dto';
export { DepositsService } from './deposits.service';
