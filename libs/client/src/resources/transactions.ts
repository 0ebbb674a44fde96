/** The history of all accounts. */
import { csvOptions, streamOf } from '../csv';
import type { PagePromise } from '../pagination';
import { Resource, type Schemas, type Query } from '../resource';
import type { RequestOptions } from '../transport';

export type TransactionListParams = Query<'transactions.list'>;

/** The history of all accounts. An agent key sees its own. */
export class Transactions extends Resource {
  list(query: TransactionListParams = {}, options?: RequestOptions): PagePromise<Schemas['Record']> {
    return this.pages(query, (page) =>
      this.http.GET('/v1/transactions', { params: { query: page }, ...this.connection.repeatable(options) }),
    );
  }

  /**
   * The records as CSV, newest first, while they are read. `timeout` is for the whole export; default: an hour.
   * The stream fails if the connection ends before the last record.
   */
  async exportCsv(
    query: Omit<TransactionListParams, 'limit' | 'cursor'> = {},
    options: RequestOptions = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const call = this.connection.repeatable(csvOptions(options));
    return streamOf(await this.http.GET('/v1/transactions', { params: { query }, parseAs: 'stream', ...call }));
  }
}
