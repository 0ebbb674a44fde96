import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, newId, sql } from '#database';
import { egressUrlDefect } from '../egress/url-policy';
import type { Caller } from '../http/caller';
import { Conflict, InvalidRequest } from '../http/domain.errors';
import { lockOperator } from '../keys';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import type { PushSubscriptionDto } from './push.dto';

/** The most browsers of an operator. */
const MAX_SUBSCRIPTIONS = 50;

/** The browsers that get notifications. A subscription belongs to the operator key that its browser signed in with, and ends with it. */
@Injectable()
export class PushSubscriptionsService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds a browser. One that is known already gets notifications of this operator only, from now on under this key.
   * @throws InvalidRequest for an endpoint that may not be called, Conflict at the limit.
   */
  async subscribe({ operatorId, keyId }: Caller, { endpoint, keys: { p256dh, auth } }: PushSubscriptionDto): Promise<void> {
    const defect = egressUrlDefect(endpoint, { allowPrivate: this.config.ALLOW_PRIVATE_URLS });
    if (defect !== undefined) throw InvalidRequest.field('endpoint', defect);
    const now = this.clock.now();
    await this.database.transaction(async (manager) => {
      await lockOperator(manager, operatorId);
      const [{ count } = { count: 0 }]: { count: number }[] = await manager.query(
        'SELECT count(*)::int AS count FROM push_subscriptions WHERE operator_id = $1 AND endpoint <> $2',
        [operatorId, endpoint],
      );
      if (count >= MAX_SUBSCRIPTIONS)
        throw new Conflict(`At most ${MAX_SUBSCRIPTIONS} browsers of an operator get notifications: turn them off in another one.`, 'full');
      // Messages of another operator that still wait for this browser are deleted with its subscription.
      await manager.query('DELETE FROM push_subscriptions WHERE endpoint = $1 AND operator_id <> $2', [endpoint, operatorId]);
      await manager.query(
        `INSERT INTO push_subscriptions (id, operator_id, key_id, endpoint, p256dh, auth, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (endpoint) DO UPDATE SET key_id = excluded.key_id, p256dh = excluded.p256dh, auth = excluded.auth`,
        [newId('psh', now), operatorId, keyId, endpoint, p256dh, auth, now],
      );
    });
  }

  /** Removes a browser of the operator, with what waits for it. */
  async unsubscribe(operatorId: string, endpoint: string): Promise<void> {
    await execute(this.database, sql`DELETE FROM push_subscriptions WHERE operator_id = ${operatorId} AND endpoint = ${endpoint}`);
  }

  /** Removes a browser that has ended its subscription, or whose key was revoked. */
  async remove(id: string): Promise<void> {
    await execute(this.database, sql`DELETE FROM push_subscriptions WHERE id = ${id}`);
  }
}
