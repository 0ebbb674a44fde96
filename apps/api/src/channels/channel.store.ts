import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { empty, execute, hydrate, type Row, type Sql, sql } from '#database';
import { enter, leave } from '../persistence/transition';
import { Clock } from '../runtime/clock';
import { Channel } from './channel.entity';
import { CHANNEL_TRANSITIONS } from './channel.states';

const T = CHANNEL_TRANSITIONS;

/** A channel whose opening was signed and is not stored yet. */
export type NewChannel = Omit<Channel, 'settledMicroUsdc' | 'status' | 'createdAt' | 'closedAt'>;

/** The SQL of channels. A transition whose guard does not hold writes nothing. */
@Injectable()
export class ChannelStore {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Inserts a channel in the statement that stores its credential, whose payment is the row `moved`. */
  insertion(channel: NewChannel): Sql {
    return sql`INSERT INTO channels (address, purse_id, account_id, payment_id, seller, payee, terms, deposit_micro_usdc,
        last_valid_block_height, close_at, created_at)
      SELECT ${channel.address}, ${channel.purseId}, ${channel.accountId}, ${channel.paymentId}, ${channel.seller}, ${channel.payee},
             ${JSON.stringify(channel.terms)}::jsonb, ${channel.depositMicroUsdc.toString()}::bigint,
             ${channel.lastValidBlockHeight.toString()}::bigint, ${channel.closeAt}::timestamptz, ${this.clock.now()}::timestamptz FROM moved`;
  }

  /** The channel that a payment opened; undefined before its credential is stored. */
  async ofPayment(paymentId: string): Promise<Channel | undefined> {
    const [row] = await execute(
      this.database,
      sql`SELECT * FROM channels WHERE payment_id = ${paymentId} ORDER BY created_at DESC LIMIT 1`,
    );
    return row && this.channel(row);
  }

  /** The channel with this address on chain. */
  async at(address: string): Promise<Channel | undefined> {
    const [row] = await execute(this.database, sql`SELECT * FROM channels WHERE address = ${address}`);
    return row && this.channel(row);
  }

  /** The channels of a purse that are not closed, oldest first. */
  async unclosed(purseId: string): Promise<Channel[]> {
    const rows = await execute(
      this.database,
      sql`SELECT * FROM channels WHERE purse_id = ${purseId} AND status <> 'closed' ORDER BY created_at`,
    );
    return rows.map((row) => this.channel(row));
  }

  /** The newest channels of a purse, or the newest of those before a place, newest first. */
  async newest(purseId: string, limit: number, before?: Pick<Channel, 'createdAt' | 'address'>): Promise<Channel[]> {
    const older = before ? sql`AND (created_at, address) < (${before.createdAt}, ${before.address})` : empty;
    const rows = await execute(
      this.database,
      sql`SELECT * FROM channels WHERE purse_id = ${purseId} ${older} ORDER BY created_at DESC, address DESC LIMIT ${limit}`,
    );
    return rows.map((row) => this.channel(row));
  }

  /** The chain shows it. */
  async open({ address }: Channel): Promise<void> {
    await execute(this.database, sql`UPDATE channels SET ${enter(T.open)} WHERE address = ${address} AND ${leave(T.open)}`);
  }

  /** Its end was asked for. */
  async beginClosing({ address }: Channel): Promise<void> {
    await execute(this.database, sql`UPDATE channels SET ${enter(T.beginClosing)} WHERE address = ${address} AND ${leave(T.beginClosing)}`);
  }

  /** Closes it in the statement that ends its payment, whose row is `moved`. */
  closing({ address }: Channel, settledMicroUsdc: bigint): Sql {
    return sql`UPDATE channels SET ${enter(T.close)}, settled_micro_usdc = ${settledMicroUsdc.toString()}::bigint, closed_at = ${this.clock.now()}
      FROM moved WHERE channels.address = ${address} AND ${leave(T.close, 'channels.status')}`;
  }

  private channel(row: Row): Channel {
    return hydrate(this.database, Channel, row);
  }
}
