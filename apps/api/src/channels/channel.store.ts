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
export type NewChannel = Pick<
  Channel,
  'address' | 'purseId' | 'accountId' | 'paymentId' | 'seller' | 'payee' | 'terms' | 'depositMicroUsdc' | 'lastValidBlockHeight' | 'closeAt'
> &
  Partial<Pick<Channel, 'protocol' | 'paysBy' | 'challenge' | 'idleSeconds' | 'proofChallengeId' | 'payingPaymentId' | 'signedMicroUsdc'>>;

/** A signed transaction that raises the deposit of a channel by so much, in base64. */
export interface TopUp {
  microUsdc: bigint;
  transaction: string;
}

/** The end of an MPP channel is forced so long after it was first wanted: its seller is asked first. */
const ASKED_MS = 60_000;

/** The SQL of channels. A transition whose guard does not hold writes nothing. */
@Injectable()
export class ChannelStore {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Inserts a channel in the statement that commits its deposit, whose row is `moved`. */
  insertion(channel: NewChannel): Sql {
    return sql`INSERT INTO channels (address, purse_id, account_id, payment_id, seller, payee, terms, deposit_micro_usdc,
        last_valid_block_height, close_at, created_at, protocol, challenge, idle_seconds, proof_challenge_id, pays_by,
        paying_payment_id, signed_micro_usdc)
      SELECT ${channel.address}, ${channel.purseId}, ${channel.accountId}, ${channel.paymentId}, ${channel.seller}, ${channel.payee},
             ${JSON.stringify(channel.terms)}::jsonb, ${channel.depositMicroUsdc.toString()}::bigint,
             ${channel.lastValidBlockHeight.toString()}::bigint, ${channel.closeAt}::timestamptz, ${this.clock.now()}::timestamptz,
             ${channel.protocol ?? 'x402'}, ${channel.challenge ? JSON.stringify(channel.challenge) : null}::jsonb, ${channel.idleSeconds ?? null}::integer,
             ${channel.proofChallengeId ?? null}, ${channel.paysBy ?? 'call'}, ${channel.payingPaymentId ?? null},
             ${(channel.signedMicroUsdc ?? 0n).toString()}::bigint
        FROM moved`;
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

  // Vouchers, one after another.

  /** The channel whose voucher of this payment has no answer yet. */
  async paying(paymentId: string): Promise<Channel | undefined> {
    const [row] = await execute(this.database, sql`SELECT * FROM channels WHERE paying_payment_id = ${paymentId}`);
    return row && this.channel(row);
  }

  /** The channels of a purse with a seller that take vouchers, newest first. `opening` ones are not shown by the chain yet. */
  async takingVouchers(purseId: string, seller: string, payee: string): Promise<Channel[]> {
    const rows = await execute(
      this.database,
      sql`SELECT * FROM channels WHERE purse_id = ${purseId} AND pays_by = 'vouchers' AND status IN ('opening', 'open') AND end_wanted_at IS NULL
            AND seller = ${seller} AND payee = ${payee} ORDER BY created_at DESC`,
    );
    return rows.map((row) => this.channel(row));
  }

  /** A voucher is signed for the payment that the query `payable` locked, as the query `available`: none while another has no answer. */
  voucherSigned({ address, acceptedMicroUsdc }: Channel, voucher: { cumulative: bigint; challenge: object; paymentId: string }): Sql {
    const amount = sql`${voucher.cumulative.toString()}::bigint`;
    return sql`available AS (UPDATE channels SET signed_micro_usdc = GREATEST(signed_micro_usdc, ${amount}), paying_payment_id = ${voucher.paymentId},
          challenge = ${JSON.stringify(voucher.challenge)}::jsonb
        FROM payable WHERE channels.address = ${address} AND channels.status = 'open' AND end_wanted_at IS NULL AND paying_payment_id IS NULL
          AND accepted_micro_usdc = ${acceptedMicroUsdc.toString()}::bigint AND ${amount} <= deposit_micro_usdc RETURNING channels.purse_id)`;
  }

  /**
   * The voucher of the payment whose row is `moved` has its answer; accepted, or to be taken so, up to an amount in all. From `chainNow` on the
   * channel is idle, if that is known.
   */
  voucherAnswered({ accepted, chainNow }: { accepted: bigint | null; chainNow: Date | null }): Sql {
    const amount = sql`${(accepted ?? 0n).toString()}::bigint`;
    return sql`UPDATE channels SET paying_payment_id = NULL, accepted_micro_usdc = GREATEST(accepted_micro_usdc, ${amount}),
        close_at = COALESCE(${chainNow}::timestamptz + make_interval(secs => idle_seconds), close_at)
      FROM moved WHERE channels.paying_payment_id = moved.id`;
  }

  /** The channel as it was read, as the query `ready`, if its deposit may be raised: no voucher and no other top-up waits for its answer. */
  readyToTopUp({ address, acceptedMicroUsdc, depositMicroUsdc }: Channel): Sql {
    return sql`ready AS (SELECT address FROM channels WHERE address = ${address} AND status = 'open' AND end_wanted_at IS NULL
        AND paying_payment_id IS NULL AND top_up_transaction IS NULL AND deposit_micro_usdc = ${depositMicroUsdc.toString()}::bigint
        AND accepted_micro_usdc = ${acceptedMicroUsdc.toString()}::bigint FOR UPDATE)`;
  }

  /** Stores a top-up in the statement that commits its amount, whose row is `moved`. */
  topUp({ address }: Channel, topUp: TopUp): Sql {
    return sql`UPDATE channels SET ${topUpColumns(topUp)} FROM moved WHERE channels.address = ${address}`;
  }

  /** Stores a top-up with the voucher that is sent beside it, in the statement that authorizes the payment, whose row is `moved`. */
  topUpByVoucher({ address }: Channel, topUp: TopUp, { cumulative, challenge }: { cumulative: bigint; challenge: object }): Sql {
    return sql`UPDATE channels SET ${topUpColumns(topUp)}, signed_micro_usdc = GREATEST(signed_micro_usdc, ${cumulative.toString()}::bigint),
        paying_payment_id = moved.id, challenge = ${JSON.stringify(challenge)}::jsonb
      FROM moved WHERE channels.address = ${address}`;
  }

  /**
   * A later voucher of the payment that is under way, as the query `corrected`: the seller proved that it had accepted so much. None if the
   * channel is not as it was read.
   */
  corrected({ address, acceptedMicroUsdc }: Channel, voucher: { paymentId: string; accepted: bigint; cumulative: bigint }): Sql {
    const amount = sql`${voucher.cumulative.toString()}::bigint`;
    return sql`corrected AS (UPDATE channels SET accepted_micro_usdc = ${voucher.accepted.toString()}::bigint,
          signed_micro_usdc = GREATEST(signed_micro_usdc, ${amount})
        WHERE address = ${address} AND paying_payment_id = ${voucher.paymentId} AND end_wanted_at IS NULL AND top_up_transaction IS NULL
          AND accepted_micro_usdc = ${acceptedMicroUsdc.toString()}::bigint AND ${amount} <= deposit_micro_usdc RETURNING address)`;
  }

  /** The chain shows the deposit as raised by the top-up that was read. */
  async toppedUp({ address, topUpTransaction }: Channel): Promise<void> {
    await execute(
      this.database,
      sql`UPDATE channels SET deposit_micro_usdc = deposit_micro_usdc + top_up_micro_usdc, top_up_micro_usdc = NULL, top_up_transaction = NULL
          WHERE address = ${address} AND top_up_transaction = ${topUpTransaction} AND status <> 'closed'`,
    );
  }

  /** The end of an MPP channel is wanted: no voucher is signed any more, and its seller is asked. True once that was long enough ago. */
  async wantEnd({ address }: Channel): Promise<boolean> {
    const now = this.clock.now();
    const [row] = await execute(
      this.database,
      sql`UPDATE channels SET end_wanted_at = COALESCE(end_wanted_at, ${now}) WHERE address = ${address}
          RETURNING end_wanted_at <= ${new Date(now.getTime() - ASKED_MS)} AS is_late`,
    );
    return row?.is_late === true;
  }

  /** Claims channels whose sellers are to be asked to close them: once each, when no voucher waits for its answer. */
  async claimToAsk(limit: number): Promise<Channel[]> {
    const rows = await execute(
      this.database,
      sql`UPDATE channels SET seller_asked_at = ${this.clock.now()} WHERE address IN (
            SELECT address FROM channels WHERE pays_by = 'vouchers' AND status = 'open' AND end_wanted_at IS NOT NULL AND seller_asked_at IS NULL
              AND paying_payment_id IS NULL ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED) RETURNING *`,
    );
    return rows.map((row) => this.channel(row));
  }

  /**
   * The change that closes an MPP channel, for `runTransition`; none if its deposit was raised since it was read. A restored database may
   * have lost a top-up: then more was settled than it knows of.
   */
  closed({ address, topUpTransaction, depositMicroUsdc }: Channel, settledMicroUsdc: bigint): Sql {
    const settled = sql`${settledMicroUsdc.toString()}::bigint`;
    return sql`UPDATE channels SET ${enter(T.close)}, settled_micro_usdc = ${settled}, closed_at = ${this.clock.now()}, paying_payment_id = NULL,
        deposit_micro_usdc = GREATEST(deposit_micro_usdc, ${settled}), top_up_micro_usdc = NULL, top_up_transaction = NULL
      WHERE address = ${address} AND ${leave(T.close)} AND top_up_transaction IS NOT DISTINCT FROM ${topUpTransaction}
        AND deposit_micro_usdc = ${depositMicroUsdc.toString()}::bigint RETURNING *`;
  }

  private channel(row: Row): Channel {
    return hydrate(this.database, Channel, row);
  }
}

const topUpColumns = ({ microUsdc, transaction }: TopUp): Sql =>
  sql`top_up_micro_usdc = ${microUsdc.toString()}::bigint, top_up_transaction = ${transaction}`;
