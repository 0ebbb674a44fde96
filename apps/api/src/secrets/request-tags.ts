import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, sql } from '#database';

/**
 * Keyed hashes that a repeated request computes again. They go on chain in ids, so that what a request made is recognized by a database that
 * has lost it. The secret is one of the database: a backup holds it. Who has it can check whether something on chain had an idempotency key
 * that is guessed, and can sign nothing.
 */
@Injectable()
export class RequestTags {
  private secret: Promise<Buffer> | undefined;

  constructor(@InjectDataSource() private readonly database: DataSource) {}

  /** The keyed hash of a request's parts, 32 bytes. */
  async digest(parts: readonly string[]): Promise<Buffer> {
    this.secret ??= this.read().catch((error: unknown) => {
      this.secret = undefined;
      throw error;
    });
    return createHmac('sha256', await this.secret)
      .update(JSON.stringify(parts))
      .digest();
  }

  private async read(): Promise<Buffer> {
    const [row] = await execute(this.database, sql`SELECT secret FROM order_tag_secret`);
    if (!Buffer.isBuffer(row?.secret)) throw new Error('the database has no secret for the tags of requests');
    return row.secret;
  }
}
