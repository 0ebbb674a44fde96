import {
  Check,
  IsMoment,
  IsNullable,
  IsOmittable,
  IsOneOf,
  IsTextList,
  IsUsdcLimit,
  itself,
  textListDefects,
  textListSchema,
} from '../http/validation/checks';
import { microUsdcToLimit } from '../money/usdc';
import { egressUrlDefect, MAX_URL } from '../egress/url-policy';
import { pageQuery } from '../lists/pages';
import { EVENT_TYPES, type EventType } from '../events';
import type { Webhook } from './endpoints/webhook.entity';
import { type Health, UNUSED } from './endpoints/webhook-health';

const MAX_ID_CHARACTERS = 64;
const ACCOUNT_IDS = { max: 100, item: { min: 1, max: MAX_ID_CHARACTERS } };
const FLEET_IDS = { max: 10, item: { min: 1, max: MAX_ID_CHARACTERS } };

/** A URL that could be called under some setting. The service checks it against the actual settings. */
const IsCallable = (): PropertyDecorator =>
  Check(
    (value) => {
      const defect = typeof value === 'string' ? egressUrlDefect(value, { allowPrivate: true }) : 'must be a string';
      return defect === undefined ? [] : [itself(defect)];
    },
    { type: 'string', format: 'uri', maxLength: MAX_URL },
  );

const EVENT_LIST = { max: EVENT_TYPES.length, item: { max: MAX_ID_CHARACTERS } };

const IsEventList = (): PropertyDecorator =>
  Check(
    (value) => {
      const defects = textListDefects(value, EVENT_LIST);
      if (defects.length > 0 || !Array.isArray(value)) return defects;
      const known: readonly unknown[] = EVENT_TYPES;
      return value.flatMap((type: unknown, index) =>
        known.includes(type) ? [] : [{ at: `[${index}]`, message: `must be one of: ${EVENT_TYPES.join(', ')}` }],
      );
    },
    { ...textListSchema(EVENT_LIST), items: { type: 'string', enum: EVENT_TYPES } },
  );

/** A webhook to register. */
export class CreateWebhookDto {
  /** The URL that events are posted to: https, at most 2048 characters, without a user name, and not in a private network. */
  @IsCallable()
  url: string;

  /** The event types to deliver. Empty, null or omitted: all. */
  @IsNullable()
  @IsEventList()
  events?: EventType[] | null;

  /** The accounts whose events to deliver, at most 100. Empty, null or omitted, without `fleet_ids`: all of the operator, including future ones. */
  @IsNullable()
  @IsTextList(ACCOUNT_IDS)
  account_ids?: string[] | null;

  /** The fleets whose events to deliver, and those of their members, at most 10. With `account_ids` or this, no other account's. */
  @IsNullable()
  @IsTextList(FLEET_IDS)
  fleet_ids?: string[] | null;

  /** In USDC. `balance.low_threshold` is sent each time the balance of one of the accounts falls below it. Null or omitted: never. */
  @IsNullable()
  @IsUsdcLimit()
  low_balance_threshold_usdc?: number | null;
}

/** A change of a webhook. Omitted fields stay, and null removes a filter or the threshold. */
export class ChangeWebhookDto {
  /** Pending deliveries go to the new URL. */
  @IsOmittable()
  @IsCallable()
  url?: string;

  @IsNullable()
  @IsEventList()
  events?: EventType[] | null;

  @IsNullable()
  @IsTextList(ACCOUNT_IDS)
  account_ids?: string[] | null;

  @IsNullable()
  @IsTextList(FLEET_IDS)
  fleet_ids?: string[] | null;

  /** A changed threshold applies from now on: a balance that is below it already must reach it before it can fall below it. */
  @IsNullable()
  @IsUsdcLimit()
  low_balance_threshold_usdc?: number | null;

  /**
   * `paused` stops sending at once. Nothing is lost: pending and new deliveries wait until it is `active` again, for at most 30 days.
   * To miss events, delete the webhook.
   */
  @IsOmittable()
  @IsOneOf(['active', 'paused'])
  status?: 'active' | 'paused';
}

export class ListWebhooksQuery extends pageQuery({ of: 'wh' }) {}

export class ReplayWebhookDto {
  /** Only events later than this moment. Omitted: all that were not delivered. */
  @IsNullable()
  @IsMoment()
  since?: string | null;
}

/** A webhook, as the API shows it. Its health is that of the last 24 hours. */
export interface WebhookView extends Health {
  webhook_id: string;
  url: string;
  /** Empty means all. */
  events: EventType[];
  /** Empty, with `fleet_ids` empty too, means all. */
  account_ids: string[];
  fleet_ids: string[];
  low_balance_threshold_usdc: number | null;
  status: 'active' | 'paused' | 'deleted';
  created_at: string;
}

/** A webhook with its secret, which is shown only when it is created. */
export interface NewWebhookView extends WebhookView {
  secret: string;
}

/** The accounts of a webhook's filter, in the order of the request. */
export function accountIdsOf({ accounts }: Webhook): string[] {
  return [...accounts].sort((one, other) => one.position - other.position).map(({ accountId }) => accountId);
}

/** The fleets of a webhook's filter, in the order of the request. */
export function fleetIdsOf({ fleets }: Webhook): string[] {
  return [...fleets].sort((one, other) => one.position - other.position).map(({ fleetId }) => fleetId);
}

export function webhookView(webhook: Webhook, url: string, health: Health = UNUSED): WebhookView {
  const { id, events, lowBalanceThreshold, status, createdAt } = webhook;
  return {
    webhook_id: id,
    url,
    events,
    account_ids: accountIdsOf(webhook),
    fleet_ids: fleetIdsOf(webhook),
    low_balance_threshold_usdc: lowBalanceThreshold === null ? null : microUsdcToLimit(lowBalanceThreshold),
    status,
    ...health,
    created_at: createdAt.toISOString(),
  };
}
