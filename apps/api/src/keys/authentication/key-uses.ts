import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { KNOWN_MS } from '../../http/limits/fair-share';
import { Clock } from '../../runtime/clock';

/** The latest uses of keys in all processes. */
@Injectable()
export class KeyUses {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Whether a key other than these was used within `KNOWN_MS`, in whatever process. */
  async areOthers(known: string[]): Promise<boolean> {
    const since = new Date(this.clock.now().getTime() - KNOWN_MS);
    const rows: unknown[] = await this.database.query('SELECT 1 FROM api_keys WHERE last_used_at > $1 AND id <> ALL($2) LIMIT 1', [
      since,
      known,
    ]);
    return rows.length > 0;
  }
}
