import { Injectable } from '@nestjs/common';
import { type IdPrefix, taggedId } from '#database';
import { RequestTags } from '../../secrets';
import type { OrderKind } from '../order.entity';

/** The prefix of the id that an order's 16 bytes on chain stand for. */
export const PREFIXES: Record<OrderKind, IdPrefix> = {
  transfer: 'tr',
  session: 'sess',
  top_up: 'top',
  charge: 'chg',
  purse: 'purse',
  channel_purse: 'purse',
  // The chain does not distinguish it from a transfer, so that a landed one is found by the same id.
  direct_transfer: 'tr',
};

/** The identity of a request to spend, also for a database that was restored from before it. */
export interface Requested {
  operatorId: string;
  kind: OrderKind;
  idempotencyKey: string;
}

/** The part of an order's id that a repeated request computes again: a keyed hash of operator, kind and idempotency key. */
@Injectable()
export class OrderTags {
  constructor(private readonly tags: RequestTags) {}

  /** A digest of a request, 32 bytes. */
  digest({ operatorId, kind, idempotencyKey }: Requested): Promise<Buffer> {
    return this.tags.digest(['order', operatorId, kind, idempotencyKey]);
  }

  /** A new id for an order of a request. */
  async newId(requested: Requested, at: Date): Promise<string> {
    return taggedId(PREFIXES[requested.kind], await this.digest(requested), at);
  }

  /** The key of the HMAC of an order's memo, which goes on chain in the memo's place. */
  memoSalt(orderId: string): Promise<Buffer> {
    return this.tags.digest(['memo', orderId]);
  }
}
