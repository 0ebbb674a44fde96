import { isAddress } from '#chain';
import { Check, IsFlag, IsNullable, IsOmittable, IsTextList, IsWholeNumber, itself, parseMoment } from '../http/validation/checks';
import { InvalidRequest } from '../http/domain.errors';
import { keysetQuery } from '../lists/pages';
import { CATEGORY } from '../policy';
import type { Provider } from './provider.entity';

const MAX_CATEGORIES = 32;
/** How long an answer is read where the record does not say, and at most. */
export const DEFAULT_MAX_SECONDS = 30;
const MAX_SECONDS = 600;
/** How much of an answer's body is read where the record does not say, and at most. */
export const DEFAULT_MAX_BYTES = 1_048_576;
const MAX_BYTES = 104_857_600;

/** A public key of the chain. */
const IsAddress = (): PropertyDecorator =>
  Check((value) => (typeof value === 'string' && isAddress(value) ? [] : [itself('must be a chain address: 32 bytes in base58')]), {
    type: 'string',
    pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
  });

export class PutProviderDto {
  /** The owner of the token account that is paid: null or omitted for any. */
  @IsNullable()
  @IsAddress()
  payee?: string | null;

  /** The categories that it may be paid for: null or omitted for any, an empty list for none. */
  @IsNullable()
  @IsTextList({ max: MAX_CATEGORIES, item: CATEGORY })
  categories?: string[] | null;

  /**
   * The key by which the provider may sign vouchers itself (MPP: `methodDetails.operator`, x402: `extra.operator`). It could take the whole
   * deposit of a channel.
   */
  @IsNullable()
  @IsAddress()
  operator_key?: string | null;

  /** Whether its facilitator takes x402 transfers of this service's program: null or omitted where that is not known. */
  @IsOmittable()
  @IsFlag()
  wallet_programs?: boolean | null;

  /** How long an answer of the provider is read, in seconds. Default: 30. */
  @IsOmittable()
  @IsWholeNumber({ min: 1, max: MAX_SECONDS })
  max_seconds?: number;

  /** How much of the body of an answer is read, in bytes. Default: 1 MiB. */
  @IsOmittable()
  @IsWholeNumber({ min: 1, max: MAX_BYTES })
  max_bytes?: number;
}

/** @throws InvalidRequest for a body without any member. */
export function requireMember(dto: PutProviderDto): void {
  if (Object.values(dto).every((value) => value === undefined))
    throw InvalidRequest.field('payee', 'is required where no other member of the record is given');
}

/** The key that providers are listed by: when they were pinned, and the host. */
export const LIST_KEY = /^(\S+Z) (\S{1,261})$/;

export class ListProvidersQuery extends keysetQuery((key) => parseMoment(LIST_KEY.exec(key)?.[1] ?? '') !== undefined) {}

/** A pinned provider, as the API shows it. */
export interface ProviderView {
  host: string;
  payee: string | null;
  categories: string[] | null;
  /** The key by which the provider may sign vouchers itself. */
  operator_key: string | null;
  /** Whether its facilitator takes transfers of this service's program; null where the operator does not say. */
  wallet_programs: boolean | null;
  /** How long an answer is read, in seconds. */
  max_seconds: number;
  /** How much of an answer's body is read, in bytes. */
  max_bytes: number;
  created_at: string;
  updated_at: string;
}

export function providerView(provider: Provider): ProviderView {
  return {
    host: provider.host,
    payee: provider.payee,
    categories: provider.categories,
    operator_key: provider.operatorKey,
    wallet_programs: provider.walletPrograms,
    max_seconds: provider.maxSeconds,
    max_bytes: provider.maxBytes,
    created_at: provider.createdAt.toISOString(),
    updated_at: provider.updatedAt.toISOString(),
  };
}
