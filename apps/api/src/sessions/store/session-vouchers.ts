import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type Sql, sql } from '#database';
import { OutboxService } from '../../events';
import { formatUsdc } from '../../money/usdc';
import { runTransition } from '../../persistence/transition';
import { Clock } from '../../runtime/clock';
import type { Session } from '../session.entity';

/** A signed voucher. */
export interface IssuedVoucher {
  /** The amount of all vouchers up to this one. */
  cumulativeMicroUsdc: bigint;
  signature: Uint8Array;
}

/**
 * The changes of a session by the vouchers of its payments: parts of the statement that changes the payment, whose row is `moved`. Issuing one
 * has no lock before its UPDATE: statements that first lock a row which many wait for, and then update it, deadlock in PostgreSQL.
 */
@Injectable()
export class SessionVouchers {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly outbox: OutboxService,
  ) {}

  /**
   * Stores an issued voucher for the payment that the query `payable` locked, as the query `available`: none unless the session is open,
   * still as it was read, and used by no other payment. No other payment signs until this one has its answer.
   */
  voucherIssued({ id, acceptedMicroUsdc }: Session, { cumulativeMicroUsdc, signature }: IssuedVoucher): Sql {
    const cumulative = sql`${cumulativeMicroUsdc.toString()}::bigint`;
    return sql`available AS (UPDATE sessions
        SET paying_payment_id = payable.id, signed_micro_usdc = GREATEST(signed_micro_usdc, ${cumulative}),
          voucher_micro_usdc = ${cumulative}, voucher_signature = ${Buffer.from(signature)} FROM payable
      WHERE sessions.id = ${id} AND state = 'open' AND paying_payment_id IS NULL
        AND accepted_micro_usdc = ${acceptedMicroUsdc.toString()}::bigint AND cap_micro_usdc >= ${cumulative} RETURNING sessions.id)`;
  }

  /** Locks the session of a payment, as the query `before`. */
  beforeAcceptance(id: string): Sql {
    return sql`before AS (SELECT * FROM sessions WHERE id = ${id} FOR NO KEY UPDATE)`;
  }

  /** The provider accepted a voucher. The events at 80 percent of the cap and at the cap are recorded once a cap. */
  voucherAccepted(session: Pick<Session, 'id' | 'operatorId' | 'accountId'>, cumulativeMicroUsdc: bigint): Sql {
    const cumulative = sql`${cumulativeMicroUsdc.toString()}::bigint`;
    const now = this.clock.now();
    const event = (type: 'session.cap_warning' | 'session.cap_reached'): Sql => {
      const data = {
        session_id: session.id,
        account_id: session.accountId,
        running_total_usdc: formatUsdc(cumulativeMicroUsdc),
        cap_usdc: '',
      };
      const row = JSON.stringify(this.outbox.row({ operatorId: session.operatorId, accountId: session.accountId, type, data }));
      return sql`jsonb_set(${row}::jsonb, '{data,cap_usdc}',
          to_jsonb(trim(to_char(sessions.cap_micro_usdc::numeric / 1000000, 'FM999999999999990.000000'))))`;
    };
    return sql`UPDATE sessions SET accepted_micro_usdc = GREATEST(sessions.accepted_micro_usdc, ${cumulative}), used_at = ${now},
        paying_payment_id = NULLIF(sessions.paying_payment_id, moved.id), unsettled_since = COALESCE(sessions.unsettled_since, ${now}),
        cap_warned = sessions.cap_warned OR ${cumulative} * 100 > sessions.cap_micro_usdc * 80,
        cap_reached = sessions.cap_reached OR ${cumulative} >= sessions.cap_micro_usdc
      FROM moved, before WHERE sessions.id = moved.session_id
      RETURNING record_event(CASE WHEN sessions.cap_warned AND NOT before.cap_warned THEN ${event('session.cap_warning')} END),
        record_event(CASE WHEN sessions.cap_reached AND NOT before.cap_reached THEN ${event('session.cap_reached')} END)`;
  }

  /** The provider refused a voucher: the session's voucher is the one before it. */
  voucherRefused(before: IssuedVoucher): Sql {
    const signature = before.cumulativeMicroUsdc === 0n ? null : Buffer.from(before.signature);
    return sql`UPDATE sessions SET paying_payment_id = NULLIF(sessions.paying_payment_id, moved.id),
      voucher_micro_usdc = ${before.cumulativeMicroUsdc.toString()}::bigint, voucher_signature = ${signature} FROM moved
      WHERE sessions.id = moved.session_id`;
  }

  /** The cap leaves no room for a payment. The event is recorded once a cap. */
  async reachCap(session: Session): Promise<void> {
    const { operatorId, accountId, id } = session;
    const data = {
      session_id: id,
      account_id: accountId,
      running_total_usdc: formatUsdc(session.acceptedMicroUsdc),
      cap_usdc: formatUsdc(session.capMicroUsdc),
    };
    await runTransition(
      this.database,
      sql`UPDATE sessions SET cap_reached = true WHERE id = ${id} AND NOT cap_reached
          AND cap_micro_usdc = ${session.capMicroUsdc.toString()} AND state = 'open' RETURNING *`,
      { event: this.outbox.row({ operatorId, accountId, type: 'session.cap_reached', data }) },
    );
  }
}
