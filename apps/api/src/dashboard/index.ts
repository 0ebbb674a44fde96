/** The public face of dashboard, for the features right of it. */
export { DashboardListsModule } from './dashboard-lists.module';
export { DashboardModule } from './dashboard.module';
