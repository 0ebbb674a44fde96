import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { AuditModule } from '../audit';
import { EventsModule } from '../events';
import { KeysModule } from '../keys';
import { LedgerModule } from '../ledger';
import { BrowserSessionsController } from './sign-in/browser-sessions.controller';
import { DashboardAccountsService } from './data/dashboard-accounts.service';
import { DashboardDataController } from './data/dashboard-data.controller';
import { DashboardDataService } from './data/dashboard-data.service';
import { DashboardEventsController } from './data/dashboard-events.controller';
import { DashboardEventsService } from './data/dashboard-events.service';
import { DashboardSessionController } from './sign-in/dashboard-session.controller';
import { WebhooksModule } from '../webhooks';
import { toPage } from './opened-by-browser';
import { IconController, PageController } from './page.controller';
import { RootController } from './root.controller';
import { SavedViewsController } from './saved-views/saved-views.controller';
import { SavedViewsService } from './saved-views/saved-views.service';
import { SearchController } from './search/search.controller';
import { SearchService } from './search/search.service';
import { SignInAttempts } from './sign-in/sign-in-attempts';

/** The dashboard: its files, its sign-in, and its data beyond the API. PageController comes last, because its route matches every path. */
@Module({
  imports: [WebhooksModule, AuditModule, EventsModule, KeysModule, LedgerModule],
  controllers: [
    DashboardSessionController,
    BrowserSessionsController,
    DashboardDataController,
    DashboardEventsController,
    SavedViewsController,
    SearchController,
    RootController,
    IconController,
    PageController,
  ],
  providers: [DashboardAccountsService, DashboardDataService, DashboardEventsService, SavedViewsService, SearchService, SignInAttempts],
})
export class DashboardModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(toPage).forRoutes('dashboard/data/*path', 'dashboard/push/*path', 'dashboard/events', 'dashboard/session');
  }
}
