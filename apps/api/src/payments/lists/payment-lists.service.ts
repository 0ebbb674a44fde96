import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, hydrate, type Row, type Sql, sql, words } from '#database';
import { AccountsService } from '../../accounts';
import type { Caller } from '../../http/caller';
import { pageConditions, toPage, type Page, type PageRequest } from '../../lists/pages';
import { given, mergedList, type MergedList, partsBy } from '../../persistence/merged-list';
import { PursesService } from '../../purses';
import { SessionsService } from '../../sessions';
import { Payment } from '../payment.entity';
import { PAYMENT_STATUSES, UNRESOLVED_PAYMENTS } from '../payment.states';
import { paymentView, type PaymentView } from './payment.views';
import type { ListPaymentsQuery, PaymentsPageQuery } from '../payments.dto';
import { ProviderAnswers } from '../provider/provider-answers';

/** The columns that a list does not read with its rows. */
const UNLISTED = { responseSealed: null, requestSealed: null, credentialSealed: null } as const;
/** A longer answer is left out of lists: a page has a hundred payments, and an answer up to a mebibyte. */
const MAX_LISTED_BODY_BYTES = 16_384;

/** Payments that are read together for an export. */
const EXPORT_PAGE = 500;

/** The filters of a list, and those that only the dashboard has. */
export interface PaymentFilters extends ListPaymentsQuery {
  category?: string;
  rejection_reason?: string;
}

type ListedPayments = Omit<MergedList, 'table' | 'columns' | 'limit'>;

/** Lists of payments. */
@Injectable()
export class PaymentListsService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly sessions: SessionsService,
    private readonly purses: PursesService,
    private readonly answers: ProviderAnswers,
  ) {}

  /** A page of the payments of all accounts that the caller may see, newest first. */
  async list(caller: Caller, query: PaymentFilters): Promise<Page<PaymentView>> {
    return this.page(query, await this.listOf(caller, query));
  }

  private async listOf(caller: Caller, query: PaymentFilters): Promise<ListedPayments> {
    const { session_id: sessionId, purse_id: purseId, provider, status } = query;
    const filters = [...given(sessionId, (id) => sql`session_id = ${id}`), ...given(purseId, (id) => sql`purse_id = ${id}`)];
    // A payment that has not called its provider yet is shown as unknown.
    const statuses = status === undefined ? PAYMENT_STATUSES : status === 'unknown' ? UNRESOLVED_PAYMENTS : [status];
    const ofStatus = status === undefined ? [] : [sql`status IN (${words(statuses)})`];
    const origins = provider === undefined ? [] : originsOf(provider);
    const list = {
      operatorId: caller.operatorId,
      accountIds: await this.accounts.listed(caller, query),
      filters: [
        ...filters,
        ...given(query.category, (category) => sql`category = ${category}`),
        ...given(query.rejection_reason, (reason) => sql`rejection_reason = ${reason}`),
        ...pageConditions('pay', query),
      ],
    };
    // Sessions, purses, providers and statuses have indexes: the first of them that is given is used, and the others are conditions.
    if (filters.length > 0) return { ...list, filters: [...list.filters, ...ofStatus, ...ofOrigins(origins)] };
    if (origins.length > 0)
      return { ...list, filters: [...list.filters, ...ofStatus], parts: origins.map((origin) => sql`provider = ${origin}`) };
    // Accounts have an index of all statuses too.
    if (status === undefined && list.accountIds !== null) return list;
    return { ...list, parts: partsBy('status', statuses) };
  }

  /** All payments of a query without the providers' answers, in chunks. Each chunk is one short statement. */
  async *every(caller: Caller, query: Omit<PaymentFilters, 'limit' | 'cursor'>): AsyncGenerator<PaymentView[]> {
    let cursor: string | undefined;
    for (;;) {
      const request = { ...query, limit: EXPORT_PAGE, ...(cursor !== undefined && { cursor }) };
      const payments = await this.rows(request, await this.listOf(caller, request));
      const page = toPage(payments, request, (payment) => paymentView({ ...payment, ...UNLISTED }, null));
      yield page.data;
      if (!page.has_more) return;
      cursor = page.data.at(-1)?.payment_id;
    }
  }

  /** A session's payments, newest first. @throws NotFound */
  async ofSession(caller: Caller, sessionId: string, query: PaymentsPageQuery): Promise<Page<PaymentView>> {
    const { operatorId, id } = await this.sessions.find(caller, sessionId);
    return this.page(query, { operatorId, accountIds: null, filters: [sql`session_id = ${id}`, ...pageConditions('pay', query)] });
  }

  /** A purse's payments, newest first. @throws NotFound */
  async ofPurse(caller: Caller, purseId: string, query: PaymentsPageQuery): Promise<Page<PaymentView>> {
    const { operatorId, id } = await this.purses.find(caller, purseId);
    return this.page(query, { operatorId, accountIds: null, filters: [sql`purse_id = ${id}`, ...pageConditions('pay', query)] });
  }

  /** A page of payments. The provider's answer is null if it is longer than lists show. */
  private async page(query: PageRequest, list: ListedPayments): Promise<Page<PaymentView>> {
    const payments = await this.rows(query, list);
    const sealed = await this.shortAnswersTo(payments);
    return toPage(payments, query, (payment) => {
      const listed = { ...payment, ...UNLISTED, responseSealed: sealed.get(payment.id) ?? null };
      return paymentView(listed, this.answers.open(listed));
    });
  }

  private async rows(query: PageRequest, list: ListedPayments): Promise<Payment[]> {
    const { columns: all } = this.database.getMetadata(Payment);
    const columns = all.filter(({ propertyName }) => !Object.hasOwn(UNLISTED, propertyName)).map(({ databaseName }) => databaseName);
    const { text, values } = mergedList({ ...list, table: 'payments', columns, limit: query.limit + 1 });
    const rows: Row[] = await this.database.query(text, values);
    return rows.map((row) => hydrate(this.database, Payment, row));
  }

  /** The answers, sealed, that are short enough for a list. */
  private async shortAnswersTo(payments: Payment[]): Promise<Map<string, string>> {
    const ids = payments.flatMap(({ id, responseStatus }) => (responseStatus === null ? [] : [id]));
    if (ids.length === 0) return new Map();
    const rows = await execute(
      this.database,
      sql`SELECT id, response_sealed FROM payments WHERE id = ANY(${ids}) AND response_bytes <= ${MAX_LISTED_BODY_BYTES}`,
    );
    return new Map(rows.map(({ id, response_sealed: sealed }) => [String(id), String(sealed)]));
  }
}

function ofOrigins(origins: string[]): Sql[] {
  return origins.length === 0 ? [] : [sql`provider = ANY(${origins})`];
}

/** The origins that a text names: itself, or those of a host. */
function originsOf(provider: string): string[] {
  return provider.includes('://') ? [provider] : [`https://${provider}`, `http://${provider}`];
}
