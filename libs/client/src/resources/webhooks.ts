/** Webhooks and their deliveries. */
import type { PagePromise } from '../pagination';
import { bodyOf, by, Resource, type Schemas, type Query } from '../resource';
import type { operations } from '../schema';
import type { RequestOptions } from '../transport';

/** The body of a 202. */
type Accepted<Operation extends 'webhooks.test' | 'deliveries.replay' | 'deliveries.send' | 'webhooks.replay' | 'webhooks.retry'> =
  operations[Operation]['responses'][202]['content']['application/json'];

export class Webhooks extends Resource {
  /** Registers a webhook. The result contains its `secret`. */
  create(body: Schemas['CreateWebhook'], options?: RequestOptions): Promise<Schemas['NewWebhook']> {
    return bodyOf(this.http.POST('/v1/webhooks', { body, ...this.connection.once(options) }));
  }

  retrieve(id: string, options?: RequestOptions): Promise<Schemas['Webhook']> {
    return bodyOf(this.http.GET('/v1/webhooks/{id}', { ...by(id), ...this.connection.repeatable(options) }));
  }

  list(query: Query<'webhooks.list'> = {}, options?: RequestOptions): PagePromise<Schemas['Webhook']> {
    return this.pages(query, (page) => this.http.GET('/v1/webhooks', { params: { query: page }, ...this.connection.repeatable(options) }));
  }

  update(id: string, body: Schemas['ChangeWebhook'], options?: RequestOptions): Promise<Schemas['Webhook']> {
    return bodyOf(this.http.PATCH('/v1/webhooks/{id}', { ...by(id), body, ...this.connection.repeatable(options) }));
  }

  async delete(id: string, options?: RequestOptions): Promise<void> {
    await this.http.DELETE('/v1/webhooks/{id}', { ...by(id), ...this.connection.once(options) });
  }

  rotateSecret(id: string, options?: RequestOptions): Promise<Schemas['NewWebhook']> {
    return bodyOf(this.http.POST('/v1/webhooks/{id}/rotate_secret', { ...by(id), ...this.connection.once(options) }));
  }

  /** Sends a `webhook.test` event. */
  test(id: string, options?: RequestOptions): Promise<Accepted<'webhooks.test'>> {
    return bodyOf(this.http.POST('/v1/webhooks/{id}/test', { ...by(id), ...this.connection.once(options) }));
  }

  deliveries(id: string, query: Query<'webhooks.listDeliveries'> = {}, options?: RequestOptions): PagePromise<Schemas['Delivery']> {
    return this.pages(query, (page) =>
      this.http.GET('/v1/webhooks/{id}/deliveries', { params: { path: { id }, query: page }, ...this.connection.repeatable(options) }),
    );
  }

  /** Sends all undelivered events of a webhook again. */
  replay(id: string, body: Schemas['ReplayWebhook'] = {}, options?: RequestOptions): Promise<Accepted<'webhooks.replay'>> {
    return bodyOf(this.http.POST('/v1/webhooks/{id}/replay', { ...by(id), body, ...this.connection.once(options) }));
  }

  /** Makes every delivery that waits for its next attempt due now. */
  retry(id: string, options?: RequestOptions): Promise<Accepted<'webhooks.retry'>> {
    return bodyOf(this.http.POST('/v1/webhooks/{id}/retry', { ...by(id), ...this.connection.once(options) }));
  }

  /** Makes the attempt of a delivery that waits now. */
  sendDelivery(id: string, options?: RequestOptions): Promise<Accepted<'deliveries.send'>> {
    return bodyOf(this.http.POST('/v1/deliveries/{id}/send', { ...by(id), ...this.connection.once(options) }));
  }

  /** Sends a delivery again. */
  replayDelivery(id: string, options?: RequestOptions): Promise<Accepted<'deliveries.replay'>> {
    return bodyOf(this.http.POST('/v1/deliveries/{id}/replay', { ...by(id), ...this.connection.once(options) }));
  }
}
