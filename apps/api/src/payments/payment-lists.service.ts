import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In, type FindOptionsWhere } from 'typeorm';
import { covers, type Caller } from '../http/caller';
import { pageWhere, pageWindow, toPage, type Page } from '../http/pages';
import { PursesService } from '../purses';
import { SessionsService } from '../sessions';
import { Payment } from './payment.entity';
import { paymentView, type ListPaymentsQuery, type PaymentsPageQuery, type PaymentView } from './payments.dto';

/** Columns that a list leaves out: an answer has up to a mebibyte, and a page a hundred of them. */
const UNLISTED = { responseStatus: null, responseHeaders: null, responseBody: null, requestSealed: null, credentialSealed: null } as const;

/** Lists of payments. */
@Injectable()
export class PaymentListsService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly sessions: SessionsService,
    private readonly purses: PursesService,
  ) {}

  /** A page of the payments of all accounts that the caller may see, newest first, without the providers' answers. */
  async list(caller: Caller, query: ListPaymentsQuery): Promise<Page<PaymentView>> {
    const { order, take } = pageWindow(query);
    const names = this.database.getMetadata(Payment).columns.map(({ propertyName }) => propertyName);
    const select = Object.fromEntries(names.filter((name) => !Object.hasOwn(UNLISTED, name)).map((name) => [name, true]));
    const payments = await this.database.manager.find(Payment, { select, where: whereOf(caller, query), order, take });
    return toPage(payments, query, (payment) => paymentView({ ...payment, ...UNLISTED }));
  }

  /** A session's payments, newest first. @throws NotFound */
  async ofSession(caller: Caller, sessionId: string, query: PaymentsPageQuery): Promise<Page<PaymentView>> {
    const session = await this.sessions.find(caller, sessionId);
    return this.page(query, { sessionId: session.id });
  }

  /** A purse's payments, newest first. @throws NotFound */
  async ofPurse(caller: Caller, purseId: string, query: PaymentsPageQuery): Promise<Page<PaymentView>> {
    const purse = await this.purses.find(caller, purseId);
    return this.page(query, { purseId: purse.id });
  }

  private async page(query: PaymentsPageQuery, of: FindOptionsWhere<Payment>): Promise<Page<PaymentView>> {
    const { where, ...window } = pageWindow(query);
    return toPage(await this.database.manager.find(Payment, { ...window, where: { ...where, ...of } }), query, paymentView);
  }
}

function whereOf(caller: Caller, query: ListPaymentsQuery): FindOptionsWhere<Payment> {
  const { account_id, session_id: sessionId, purse_id: purseId, provider, status } = query;
  const accountIds = account_id === undefined ? caller.accountIds : covers(caller, account_id) ? [account_id] : [];
  return {
    ...pageWhere('pay', query),
    operatorId: caller.operatorId,
    ...(accountIds && { accountId: In(accountIds) }),
    ...(sessionId !== undefined && { sessionId }),
    ...(purseId !== undefined && { purseId }),
    ...(provider !== undefined && { provider: In(originsOf(provider)) }),
    // A payment that has not called its provider yet is shown as unknown.
    ...(status !== undefined && { status: In(status === 'unknown' ? ['created', 'unknown'] : [status]) }),
  };
}

/** The origins that a text names: itself, or those of a host. */
function originsOf(provider: string): string[] {
  return provider.includes('://') ? [provider] : [`https://${provider}`, `http://${provider}`];
}
