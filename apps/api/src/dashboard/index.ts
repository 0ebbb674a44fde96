/** What dashboard offers to the features right of it. */
export { DashboardModule } from './dashboard.module';
