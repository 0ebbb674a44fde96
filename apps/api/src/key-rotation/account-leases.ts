import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { hydrate } from '#database';
import { Account } from '../accounts';
import { Clock } from '../runtime/clock';

/** Longer than three blockhashes live: when it is over, nothing that was sent under it can land any more. */
const LEASE_MS = 300_000;
const SWEEP_SIZE = 20;

/** Keeps an account's keys and its end to one worker at a time, without a lock over a call to the chain. */
@Injectable()
export class AccountLeases {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Takes the account, and sets what the caller is about to send. Undefined while somebody else has it. */
  async take(id: string, set: string, values: unknown[]): Promise<Account | undefined> {
    const [account] = await this.claim(`, ${set}`, `id = $3 AND state = 'open' AND lease_until <= $1`, [id, ...values]);
    return account;
  }

  /** Takes accounts whose work was left undone. */
  async takeOverdue(condition: string): Promise<Account[]> {
    return this.claim(
      '',
      `id IN (SELECT id FROM accounts WHERE state = 'open' AND (${condition}) AND lease_until <= $1 ORDER BY lease_until LIMIT ${SWEEP_SIZE} FOR UPDATE SKIP LOCKED)`,
      [],
    );
  }

  /** Gives the account back, when nothing that was sent can land any more. */
  async release(id: string, set: string): Promise<void> {
    await this.database.query(`UPDATE accounts SET lease_until = $2, ${set} WHERE id = $1`, [id, this.clock.now()]);
  }

  private async claim(set: string, condition: string, values: unknown[]): Promise<Account[]> {
    const now = this.clock.now();
    const [rows]: [Record<string, unknown>[], number] = await this.database.query(
      `UPDATE accounts SET lease_until = $2${set} WHERE ${condition} RETURNING *`,
      [now, new Date(now.getTime() + LEASE_MS), ...values],
    );
    return rows.map((row) => hydrate(this.database, Account, row));
  }
}
