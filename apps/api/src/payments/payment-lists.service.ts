import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In, type FindOptionsWhere } from 'typeorm';
import { execute, sql } from '#database';
import { covers, type Caller } from '../http/caller';
import { pageWhere, pageWindow, toPage, type Page, type PageRequest } from '../http/pages';
import { PursesService } from '../purses';
import { SessionsService } from '../sessions';
import { Payment } from './payment.entity';
import { paymentView, type ListPaymentsQuery, type PaymentsPageQuery, type PaymentView } from './payments.dto';

/** The columns that a list does not read with its rows. */
const UNLISTED = { responseBody: null, requestSealed: null, credentialSealed: null } as const;
/** A longer answer is left out of lists: a page has a hundred payments, and an answer up to a mebibyte. */
const MAX_LISTED_BODY_BYTES = 16_384;

/** Payments that are read together for an export. */
const EXPORT_PAGE = 500;

/** The filters of a list, and those that only the dashboard has. */
export interface PaymentFilters extends ListPaymentsQuery {
  category?: string;
  rejection_reason?: string;
}

/** Lists of payments. */
@Injectable()
export class PaymentListsService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly sessions: SessionsService,
    private readonly purses: PursesService,
  ) {}

  /** A page of the payments of all accounts that the caller may see, newest first. */
  list(caller: Caller, query: PaymentFilters): Promise<Page<PaymentView>> {
    return this.page(query, whereOf(caller, query));
  }

  /** All payments of a query without the providers' answers, in chunks. Each chunk is one short statement. */
  async *every(caller: Caller, query: Omit<PaymentFilters, 'limit' | 'cursor'>): AsyncGenerator<PaymentView[]> {
    let cursor: string | undefined;
    for (;;) {
      const request = { ...query, limit: EXPORT_PAGE, ...(cursor !== undefined && { cursor }) };
      const payments = await this.rows(request, whereOf(caller, request));
      const page = toPage(payments, request, (payment) => paymentView({ ...payment, ...UNLISTED }));
      yield page.data;
      if (!page.has_more) return;
      cursor = page.data.at(-1)?.payment_id;
    }
  }

  /** A session's payments, newest first. @throws NotFound */
  async ofSession(caller: Caller, sessionId: string, query: PaymentsPageQuery): Promise<Page<PaymentView>> {
    const session = await this.sessions.find(caller, sessionId);
    return this.page(query, { ...pageWhere('pay', query), sessionId: session.id });
  }

  /** A purse's payments, newest first. @throws NotFound */
  async ofPurse(caller: Caller, purseId: string, query: PaymentsPageQuery): Promise<Page<PaymentView>> {
    const purse = await this.purses.find(caller, purseId);
    return this.page(query, { ...pageWhere('pay', query), purseId: purse.id });
  }

  /** A page of payments. The provider's answer is null where it is longer than lists show. */
  private async page(query: PageRequest, where: FindOptionsWhere<Payment>): Promise<Page<PaymentView>> {
    const payments = await this.rows(query, where);
    const bodies = await this.bodiesOf(payments);
    return toPage(payments, query, (payment) => paymentView({ ...payment, ...UNLISTED, responseBody: bodies.get(payment.id) ?? null }));
  }

  private async rows(query: PageRequest, where: FindOptionsWhere<Payment>): Promise<Payment[]> {
    const { order, take } = pageWindow(query);
    const names = this.database.getMetadata(Payment).columns.map(({ propertyName }) => propertyName);
    const select = Object.fromEntries(names.filter((name) => !Object.hasOwn(UNLISTED, name)).map((name) => [name, true]));
    return this.database.manager.find(Payment, { select, where, order, take });
  }

  /** The answers that are short enough for a list. Their lengths are known without reading them. */
  private async bodiesOf(payments: Payment[]): Promise<Map<string, Buffer>> {
    const ids = payments.flatMap(({ id, responseStatus }) => (responseStatus === null ? [] : [id]));
    if (ids.length === 0) return new Map();
    const rows = await execute(
      this.database,
      sql`SELECT id, response_body FROM payments WHERE id = ANY(${ids}) AND octet_length(response_body) <= ${MAX_LISTED_BODY_BYTES}`,
    );
    return new Map(rows.flatMap(({ id, response_body: body }) => (Buffer.isBuffer(body) ? [[String(id), body] as const] : [])));
  }
}

function whereOf(caller: Caller, query: PaymentFilters): FindOptionsWhere<Payment> {
  const { account_id, session_id: sessionId, purse_id: purseId, provider, status, category, rejection_reason: rejectionReason } = query;
  const accountIds = account_id === undefined ? caller.accountIds : covers(caller, account_id) ? [account_id] : [];
  return {
    ...pageWhere('pay', query),
    operatorId: caller.operatorId,
    ...(accountIds && { accountId: In(accountIds) }),
    ...(sessionId !== undefined && { sessionId }),
    ...(purseId !== undefined && { purseId }),
    ...(provider !== undefined && { provider: In(originsOf(provider)) }),
    ...(category !== undefined && { category }),
    ...(rejectionReason !== undefined && { rejectionReason }),
    // A payment that has not called its provider yet is shown as unknown.
    ...(status !== undefined && { status: In(status === 'unknown' ? ['created', 'unknown'] : [status]) }),
  };
}

/** The origins that a text names: itself, or those of a host. */
function originsOf(provider: string): string[] {
  return provider.includes('://') ? [provider] : [`https://${provider}`, `http://${provider}`];
}
