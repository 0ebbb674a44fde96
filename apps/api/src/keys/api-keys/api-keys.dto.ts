import {
  IsMoment,
  IsNullable,
  IsOneOf,
  Check,
  IsText,
  Trimmed,
  itself,
  textListDefects,
  textListSchema,
} from '../../http/validation/checks';
import { IsHostList, normalizedHosts } from '../../egress/allowed-hosts';
import { InvalidRequest } from '../../http/domain.errors';
import { pageQuery } from '../../lists/pages';
import type { ApiKey, ApiKeyType } from './api-key.entity';

const MAX_ACCOUNTS = 100;
const MAX_ID_CHARACTERS = 64;
const MAX_FLEETS = 10;
const FLEET_LIST = { min: 1, max: MAX_FLEETS, item: { min: 1, max: MAX_ID_CHARACTERS } };
const ACCOUNT_LIST = { min: 1, max: MAX_ACCOUNTS, item: { min: 1, max: MAX_ID_CHARACTERS } };

/** A key to create. */
export class CreateApiKeyDto {
  /** An operator key may do everything, an agent key may spend from its accounts. */
  @IsOneOf(['agent', 'operator'])
  type: ApiKeyType;

  /** For people, 1 to 100 characters. */
  @IsNullable()
  @Trimmed()
  @IsText({ min: 1, max: 100 })
  name?: string | null;

  /** The accounts of an agent key, 1 to 100; it has these, `fleet_ids`, or both. An operator key has all accounts and takes no list. */
  @Check((value, key) => accountListDefects(value, key), { ...textListSchema(ACCOUNT_LIST), type: ['array', 'null'] }, { isOptional: true })
  account_ids?: string[] | null;

  /** The fleets whose members an agent key may use, those that join later included, at most 10. An operator key takes no list. */
  @Check(
    (value, key) => fleetListDefects(value, 'type' in key ? key.type : undefined),
    { ...textListSchema(FLEET_LIST), type: ['array', 'null'] },
    { isOptional: true },
  )
  fleet_ids?: string[] | null;

  /** The hosts that an agent key may pay, such as api.example.com or *.example.com. Null or omitted: all; an empty list: none. */
  @IsNullable()
  @IsHostList()
  allowed_hosts?: string[] | null;

  /** When it expires. Null or omitted: never. */
  @IsNullable()
  @IsMoment()
  expires_at?: string | null;
}

function fleetListDefects(value: unknown, type: unknown): ReturnType<typeof textListDefects> {
  if (value === undefined || value === null) return [];
  return type === 'operator' ? [itself('is for agent keys only: an operator key has all accounts')] : textListDefects(value, FLEET_LIST);
}

function accountListDefects(value: unknown, key: object): ReturnType<typeof textListDefects> {
  const type = 'type' in key ? key.type : undefined;
  const hasFleets = 'fleet_ids' in key && key.fleet_ids !== undefined && key.fleet_ids !== null;
  const absent = value === undefined || value === null;
  if (type === 'operator') return absent ? [] : [itself('is for agent keys only: an operator key has all accounts')];
  if (absent)
    return type === 'agent' && !hasFleets ? [itself(`is required for an agent key: 1 to ${MAX_ACCOUNTS} account ids, or fleet_ids`)] : [];
  return textListDefects(value, ACCOUNT_LIST);
}

export class ListApiKeysQuery extends pageQuery({ of: 'key' }) {}

/** A key, as the API shows it. */
export interface ApiKeyView {
  key_id: string;
  type: ApiKeyType;
  name: string | null;
  account_ids: string[] | null;
  /** The fleets whose members it may use; null for an operator key. */
  fleet_ids: string[] | null;
  allowed_hosts: string[] | null;
  prefix: string;
  expires_at: string | null;
  last_used_at: string | null;
  /** The address that it was last noted to be used from, at most once an hour. */
  last_used_ip: string | null;
  /** When that address was noted. */
  last_used_ip_at: string | null;
  created_at: string;
}

/** A key without its uses. */
export type UnusedApiKeyView = Omit<ApiKeyView, 'last_used_at' | 'last_used_ip' | 'last_used_ip_at'>;

/** A key with its secret, which is shown only when it is created. */
export interface NewApiKeyView extends UnusedApiKeyView {
  key: string;
}

export function viewOf(key: ApiKey): ApiKeyView {
  return {
    key_id: key.id,
    type: key.type,
    name: key.name,
    account_ids: accountIdsOf(key),
    fleet_ids: fleetIdsOf(key),
    allowed_hosts: key.allowedHosts,
    prefix: key.prefix,
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    last_used_ip: key.lastUsedIp,
    last_used_ip_at: key.lastUsedIpAt?.toISOString() ?? null,
    created_at: key.createdAt.toISOString(),
  };
}

/** The hosts that a new key may pay. @throws InvalidRequest for an operator key with a list. */
export function allowedHostsOf({ type, allowed_hosts: hosts = null }: CreateApiKeyDto): string[] | null {
  if (hosts !== null && type === 'operator')
    throw InvalidRequest.field('allowed_hosts', 'is for agent keys only: an operator key may pay every host');
  return hosts && normalizedHosts(hosts);
}

/** The fleet ids of a key in the order of the request; null for an operator key. */
export function fleetIdsOf(key: ApiKey): string[] | null {
  if (key.type === 'operator') return null;
  return [...key.fleets].sort((one, other) => one.position - other.position).map((fleet) => fleet.fleetId);
}

/** The account ids of a key in the order of the request; null for an operator key, which has all accounts. */
export function accountIdsOf(key: ApiKey): string[] | null {
  if (key.type === 'operator') return null;
  return [...key.accounts].sort((one, other) => one.position - other.position).map((account) => account.accountId);
}
