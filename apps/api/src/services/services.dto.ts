import { IsOmittable, IsText, IsTextList, IsUsdcAmount } from '../http/validation/checks';
import { keysetQuery } from '../lists/pages';
import type { PaymentMethodName, PaymentProtocol } from '../payments';

const MAX_ID = 128;
const MAX_QUERY = 200;
const MAX_CATALOGUES = 10;
const MAX_URL = 2_048;
/** A page of services begins at a place in the list of prices. */
export const PLACE = /^\d{1,5}$/;

export class PutCataloguesDto {
  /** Where catalogues are read: the discovery resources of an x402 facilitator, or a JSON list. At most ten. */
  @IsTextList({ max: MAX_CATALOGUES, item: { min: 1, max: MAX_URL } })
  urls: string[];
}

/** The catalogues of an operator. */
export interface CataloguesView {
  urls: string[];
  /** When they were set; null if they never were. */
  updated_at: string | null;
}

export class ListServicesQuery extends keysetQuery((key) => PLACE.test(key)) {
  /** The account that would pay. Needed unless the key has one account. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID })
  account_id?: string;

  /** Words that the URL or the description has, in any order. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_QUERY })
  query?: string;

  /** The most that one call may cost, in USDC. */
  @IsOmittable()
  @IsUsdcAmount()
  max_amount?: string;
}

/** A service that an account could pay now. */
export interface ServiceView {
  url: string;
  description: string | null;
  /** The origin of the provider. */
  provider: string;
  protocol: PaymentProtocol;
  /** How a payment would be made. */
  method: PaymentMethodName;
  /** The price of one call, or its maximum if it is metered. */
  amount_usdc: string;
  /** Whether a call costs what it uses. */
  metered: boolean;
  category: string | null;
}
