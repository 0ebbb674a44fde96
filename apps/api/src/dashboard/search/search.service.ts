import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, isId, sql, type Row, type Sql } from '#database';
import { isUsdcAmount, formatUsdc, parseUsdc } from '../../money/usdc';
import type { FoundAccount, FoundEscrow, FoundPayment, FoundTransfer, Match, SearchView } from '../views';
import { hitsOfAccounts, hitsOfPayments, hitsOfTransfers, type Searched } from './search.sql';

/** The most rows of one group. */
const MAX_ROWS = 10;

/** The least characters of a text whose words are searched. */
const MIN_WORDS = 2;
const MAX_WORDS = 8;
/** The separators of words: everything in ASCII but letters and digits, as in the SQL function `searched_words`. */
const WORD = /[a-zA-Z0-9\u0080-\u{10ffff}]+/gu;

/** Finds accounts, transfers and payments of an operator. Each statement reads a bounded number of rows by an index. */
@Injectable()
export class SearchService {
  constructor(@InjectDataSource() private readonly database: DataSource) {}

  /** The rows that a text finds: its words in names and memos, and all of it as an id, key, reference, signature, party or amount. */
  async search(operatorId: string, text: string): Promise<SearchView> {
    const searched = searchedOf(operatorId, text);
    const [accounts, transfers, payments, escrows] = await Promise.all([
      this.accounts(searched),
      this.transfers(searched),
      this.payments(searched),
      this.escrows(searched),
    ]);
    return { accounts, transfers, payments, escrows };
  }

  private async accounts(searched: Searched): Promise<FoundAccount[]> {
    const rows = await this.best(
      hitsOfAccounts(searched),
      sql`accounts.id, accounts.name, accounts.handle, accounts.paused FROM hits JOIN accounts ON accounts.id = hits.id`,
    );
    return rows.map(({ id, name, handle, paused, matched }) => ({
      account_id: String(id),
      name: String(name),
      handle: String(handle),
      status: paused === true ? 'paused' : 'active',
      matched: matched as Match,
    }));
  }

  private async transfers(searched: Searched): Promise<FoundTransfer[]> {
    const rows = await this.best(
      hitsOfTransfers(searched),
      sql`orders.id, orders.status, orders.rejection_reason, orders.account_id, orders.recipient, orders.micro_usdc::text AS amount,
          orders.memo, orders.created_at
          FROM hits JOIN orders ON orders.id = hits.id AND orders.operator_id = ${searched.operatorId}`,
    );
    return rows.map(({ id, status, rejection_reason, account_id, recipient, amount, memo, created_at, matched }) => ({
      transfer_id: String(id),
      status: status === 'created' ? 'submitted' : String(status),
      rejection_reason: textOrNull(rejection_reason),
      from: String(account_id),
      to: String(recipient),
      amount_usdc: formatUsdc(BigInt(String(amount))),
      memo: textOrNull(memo),
      created_at: (created_at as Date).toISOString(),
      matched: matched as Match,
    }));
  }

  private async payments(searched: Searched): Promise<FoundPayment[]> {
    const rows = await this.best(
      hitsOfPayments(searched),
      sql`payments.id, payments.status, payments.rejection_reason, payments.account_id, payments.provider,
          payments.micro_usdc::text AS amount, payments.created_at
          FROM hits JOIN payments ON payments.id = hits.id AND payments.operator_id = ${searched.operatorId}`,
    );
    return rows.map(({ id, status, rejection_reason, account_id, provider, amount, created_at, matched }) => ({
      payment_id: String(id),
      account_id: String(account_id),
      status: status === 'created' ? 'unknown' : String(status),
      rejection_reason: textOrNull(rejection_reason),
      provider: String(provider),
      amount_usdc: formatUsdc(status === 'free' ? 0n : BigInt(String(amount))),
      created_at: (created_at as Date).toISOString(),
      matched: matched as Match,
    }));
  }

  private async escrows({ operatorId, text }: Searched): Promise<FoundEscrow[]> {
    if (!isId('sess', text) && !isId('purse', text)) return [];
    const rows = await execute(
      this.database,
      sql`SELECT 'session' AS kind, id, account_id, provider FROM sessions WHERE id = ${text} AND operator_id = ${operatorId}
          UNION ALL SELECT 'purse', id, account_id, host FROM purses WHERE id = ${text} AND operator_id = ${operatorId}`,
    );
    return rows.map(({ kind, id, account_id, provider }) => ({
      kind: kind === 'session' ? 'session' : 'purse',
      id: String(id),
      account_id: String(account_id),
      provider: textOrNull(provider),
    }));
  }

  /** The rows of the first hits: by rank, then the newest. A row that was found twice is shown by its better match. */
  private best(hits: Sql, columns: Sql): Promise<Row[]> {
    return execute(
      this.database,
      sql`WITH all_hits AS (${hits}),
               hits AS (SELECT DISTINCT ON (id) id, matched, rank FROM all_hits ORDER BY id, rank)
          SELECT hits.matched, ${columns} ORDER BY hits.rank, hits.id DESC LIMIT ${MAX_ROWS}`,
    );
  }
}

function searchedOf(operatorId: string, text: string): Searched {
  const words = text.length < MIN_WORDS ? [] : (text.match(WORD) ?? []).slice(0, MAX_WORDS);
  // How PostgreSQL folds letters beyond ASCII depends on its locale, so that both forms are searched.
  const forms = words.map((word) => [...new Set([word.replace(/[A-Z]+/g, (upper) => upper.toLowerCase()), word.toLowerCase()])]);
  const query = [`'${operatorId}'`, ...forms.map((each) => `(${each.map((form) => `'${form}':*`).join(' | ')})`)].join(' & ');
  const amount = text.replace(/,(?=\d{3}(\D|$))/g, '').replace(/\s*USDC$/i, '');
  return {
    operatorId,
    text,
    words: words.length === 0 ? null : query,
    microUsdc: isUsdcAmount(amount) ? parseUsdc(amount).toString() : null,
  };
}

function textOrNull(value: unknown): string | null {
  return value === null ? null : String(value);
}
