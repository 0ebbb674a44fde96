import { Check, IsMoment, IsNullable, IsOmittable, IsOneOf, IsTextList, IsUsdcLimit, itself, textListDefects } from '../http/checks';
import { microUsdcToLimit } from '../money/usdc';
import { egressUrlDefect } from '../egress/url-policy';
import { pageQuery } from '../http/pages';
import { EVENT_TYPES, type EventType } from '../events';
import type { Webhook } from './webhook.entity';

const MAX_ACCOUNTS = 100;
const MAX_ID_CHARACTERS = 64;

/** What no setting makes right: the rest is judged by the service, which knows the settings. */
const IsCallable = (): PropertyDecorator =>
  Check((value) => {
    const defect = typeof value === 'string' ? egressUrlDefect(value, { allowPrivate: true }) : 'must be a string';
    return defect === undefined ? [] : [itself(defect)];
  });

const IsEventList = (): PropertyDecorator =>
  Check((value) => {
    const defects = textListDefects(value, { max: EVENT_TYPES.length, item: { max: MAX_ID_CHARACTERS } });
    if (defects.length > 0 || !Array.isArray(value)) return defects;
    const known: readonly unknown[] = EVENT_TYPES;
    return value.flatMap((type: unknown, index) =>
      known.includes(type) ? [] : [{ at: `[${index}]`, message: `must be one of: ${EVENT_TYPES.join(', ')}` }],
    );
  });

/** A webhook to register. */
export class CreateWebhookDto {
  /** Where events are posted to: https, at most 2048 characters, no user name, and nothing inside a private network. */
  @IsCallable()
  url: string;

  /** The types of events to send. None, null or left out: all. */
  @IsNullable()
  @IsEventList()
  events?: EventType[] | null;

  /** The accounts whose events to send, at most 100. None, null or left out: all of the operator, also later ones. */
  @IsNullable()
  @IsTextList({ max: MAX_ACCOUNTS, item: { min: 1, max: MAX_ID_CHARACTERS } })
  account_ids?: string[] | null;

  /** In USDC. Each time one of the accounts falls below it, from at or above it, `balance.low_threshold` is sent. Null or left out: never. */
  @IsNullable()
  @IsUsdcLimit()
  low_balance_threshold_usdc?: number | null;
}

/** A change of a webhook: what is not named stays, and null puts a filter or the threshold back to none. */
export class ChangeWebhookDto {
  /** Deliveries that are still to be made go to the new address. */
  @IsOmittable()
  @IsCallable()
  url?: string;

  @IsNullable()
  @IsEventList()
  events?: EventType[] | null;

  @IsNullable()
  @IsTextList({ max: MAX_ACCOUNTS, item: { min: 1, max: MAX_ID_CHARACTERS } })
  account_ids?: string[] | null;

  /** Another threshold counts from now on: a balance that is below it already must reach it before it can fall below it again. */
  @IsNullable()
  @IsUsdcLimit()
  low_balance_threshold_usdc?: number | null;

  /**
   * `paused` stops sending at once. Nothing is lost: what is due, and what happens meanwhile, waits, and goes out when it is
   * `active` again, unless it is older than 30 days by then. Whoever wants to miss events deletes the webhook.
   */
  @IsOmittable()
  @IsOneOf(['active', 'paused'])
  status?: 'active' | 'paused';
}

export class ListWebhooksQuery extends pageQuery({ of: 'wh' }) {}

export class ReplayWebhookDto {
  /** Only events later than this moment; without it, all that were not delivered. */
  @IsNullable()
  @IsMoment()
  since?: string | null;
}

/** A webhook as it is shown. */
export interface WebhookView {
  webhook_id: string;
  url: string;
  /** Empty: all. */
  events: EventType[];
  /** Empty: all. */
  account_ids: string[];
  low_balance_threshold_usdc: number | null;
  status: 'active' | 'paused' | 'deleted';
  created_at: string;
}

/** A webhook as it is shown when it gets a secret, and never again. */
export interface NewWebhookView extends WebhookView {
  secret: string;
}

export function webhookView(webhook: Webhook): WebhookView {
  const { id, url, events, accounts, lowBalanceThreshold, status, createdAt } = webhook;
  return {
    webhook_id: id,
    url,
    events,
    account_ids: [...accounts].sort((one, other) => one.position - other.position).map(({ accountId }) => accountId),
    low_balance_threshold_usdc: lowBalanceThreshold === null ? null : microUsdcToLimit(lowBalanceThreshold),
    status,
    created_at: createdAt.toISOString(),
  };
}
