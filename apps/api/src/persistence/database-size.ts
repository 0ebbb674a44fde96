import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { StorageFull } from '../http/domain.errors';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';

/** A size is asked for again after this time. */
const KNOWN_MS = 10_000;

/** Refuses what makes the database grow before its disk is full: PostgreSQL ends with a full disk, and then nothing can be paused. */
@Injectable()
export class DatabaseSize {
  private readonly logger = new Logger('Database');
  private known: { bytes: Promise<number>; until: number } = { bytes: Promise.resolve(0), until: 0 };

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** @throws StorageFull if the database is larger than MAX_DATABASE_BYTES. */
  async requireRoom(): Promise<void> {
    const most = this.config.MAX_DATABASE_BYTES;
    if (most === 0) return;
    const bytes = await this.bytes();
    if (bytes <= most) return;
    this.logger.warn(`The database has ${bytes} bytes, more than MAX_DATABASE_BYTES (${most}): new orders and payments are refused.`);
    throw new StorageFull();
  }

  private bytes(): Promise<number> {
    const now = this.clock.now().getTime();
    if (this.known.until <= now) this.known = { bytes: this.read(), until: now + KNOWN_MS };
    return this.known.bytes;
  }

  private async read(): Promise<number> {
    const [row]: { bytes: string }[] = await this.database.query('SELECT pg_database_size(current_database()) AS bytes');
    return Number(row?.bytes);
  }
}
