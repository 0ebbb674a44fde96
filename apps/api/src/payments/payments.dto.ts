/** The requests of the payment API. */
import { areTooManyChallenges, MAX_CHALLENGES } from '#mpp';
import {
  Check,
  IsOmittable,
  IsMoment,
  IsNested,
  IsText,
  IsUsdcAmount,
  IsWholeNumber,
  itself,
  type Defect,
  IsStatusFilter,
} from '../http/validation/checks';
import { MAX_IDEMPOTENCY_KEY } from '../http/headers';
import { ReferencedDto } from '../lists/references';
import { MAX_URL } from '../egress/url-policy';
import { pageQuery } from '../lists/pages';
import { IsLabelFilter } from '../accounts';
import { SHOWN_STATUSES, type ShownStatus } from './lists/payment.views';
import { ProviderRequestDto } from './provider/provider-request.dto';

const MAX_ID = 128;
const MAX_CHALLENGE = 65_536;
const MAX_RECEIPT = 16_384;
/** As much as is read of a provider's reason. */
const MAX_REFUSAL = 1_000;
const MIN_SECONDS = 60;
const MAX_SECONDS = 2_592_000;

export class OpenSessionDto {
  /** USDC, as a decimal string. */
  @IsUsdcAmount()
  cap: string;

  @IsOmittable()
  @IsWholeNumber({ min: MIN_SECONDS, max: MAX_SECONDS })
  expires_in_seconds?: number;
}

/** The members of every request to pay. */
abstract class PaymentDto extends ReferencedDto {
  /** The account that pays, by its id or handle. */
  @IsText({ min: 1, max: MAX_ID })
  account_id: string;

  /** The same key with the same parameters pays once. */
  @IsText({ min: 1, max: MAX_IDEMPOTENCY_KEY })
  idempotency_key: string;

  /** The most that this one call may cost, in USDC. */
  @IsUsdcAmount()
  max_amount: string;
}

export class CreatePaymentDto extends PaymentDto {
  @IsNested(() => ProviderRequestDto)
  request: ProviderRequestDto;

  /** Out of which it is to be paid. Without one, and without open_session, the call is charged by itself. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID })
  session_id?: string;

  /** An open purse out of which it is to be paid, by x402. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID })
  @Check((_value, object) => goesWithout(object, ['session_id', 'open_session']), {})
  purse_id?: string;

  /** Opens a session for this and later calls. */
  @IsOmittable()
  @Check((value, object) => (value === undefined ? [] : goesWithout(object, ['session_id'])), {})
  @IsNested(() => OpenSessionDto)
  open_session?: OpenSessionDto;
}

export class AuthorizePaymentDto extends PaymentDto {
  /** What was called. */
  @IsText({ min: 1, max: MAX_URL })
  url: string;

  /** MPP: the values of the WWW-Authenticate headers that came with the 402. */
  @Check(
    (value, object) => askDefects(value, object),
    { type: 'array', minItems: 1, maxItems: MAX_CHALLENGES, items: { type: 'string', minLength: 1, maxLength: MAX_CHALLENGE } },
    { isOptional: true },
  )
  challenges?: string[];

  /**
   * x402, in place of challenges: the PAYMENT-REQUIRED header, or the PaymentRequired object of a version 1 body or of MCP. Version 1 has no name
   * for a local chain: on one, `solana-devnet` stands for it where the mint is its own.
   */
  @IsOmittable()
  @Check((value) => paymentRequiredDefects(value), {
    oneOf: [
      { type: 'string', minLength: 1, maxLength: MAX_CHALLENGE },
      { type: 'object', additionalProperties: true },
    ],
  })
  payment_required?: string | object;

  /** Out of which it is to be paid. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID })
  session_id?: string;

  /** An open purse out of which it is to be paid, by x402. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID })
  @Check((_value, object) => goesWithout(object, ['session_id']), {})
  purse_id?: string;

  /**
   * With the same key again: the error with which the provider refused the credential (x402: `errorReason` of the PAYMENT-RESPONSE, or `error` of
   * the new demand). Returns the credential of the next way to pay, if there is one, else the same credential.
   */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_REFUSAL })
  refused?: string;
}

/** Members that exclude the checked one. */
function goesWithout(object: object, members: readonly string[]): Defect[] {
  const values = new Map<string, unknown>(Object.entries(object));
  return members.filter((member) => values.get(member) !== undefined).map((member) => itself(`goes without ${member}`));
}

/** One of the two: challenges, or payment_required. */
function askDefects(value: unknown, object: object): Defect[] {
  const isX402 = 'payment_required' in object && object.payment_required !== undefined;
  if (isX402) return value === undefined ? [] : [itself('goes without payment_required')];
  return challengeDefects(value);
}

function paymentRequiredDefects(value: unknown): Defect[] {
  if (typeof value === 'string' && value.length > 0 && value.length <= MAX_CHALLENGE) return [];
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return [];
  return [itself(`must be an object, or a string of 1 to ${MAX_CHALLENGE} characters`)];
}

function challengeDefects(value: unknown): Defect[] {
  if (!Array.isArray(value) || value.length < 1 || value.length > MAX_CHALLENGES)
    return [itself(`must be a list of 1 to ${MAX_CHALLENGES} texts`)];
  const texts = value.filter((item) => typeof item === 'string');
  if (texts.reduce((sum, text) => sum + text.length, 0) > MAX_CHALLENGE)
    return [itself(`must have at most ${MAX_CHALLENGE} characters in all`)];
  if (areTooManyChallenges(texts)) return [itself(`must have at most ${MAX_CHALLENGES} challenges in all`)];
  return value.flatMap((item, index): Defect[] =>
    typeof item === 'string' && item.length > 0 && item.length <= MAX_CHALLENGE
      ? []
      : [{ at: `[${index}]`, message: `must be a string of 1 to ${MAX_CHALLENGE} characters` }],
  );
}

export class ReceiptDto {
  /** The value of the Payment-Receipt header, or of PAYMENT-RESPONSE. */
  @IsText({ min: 1, max: MAX_RECEIPT })
  receipt: string;
}

/** The query of the payments of one session or purse. */
export class PaymentsPageQuery extends pageQuery({ of: 'pay' }) {}

/** The query of the payments of all accounts. */
export class ListPaymentsQuery extends pageQuery({ of: 'pay' }) {
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID })
  account_id?: string;

  /** Only those of accounts that are in this fleet now. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID })
  fleet_id?: string;

  /** Only those of accounts that have this label. Given several times: all of them. */
  @IsLabelFilter()
  label?: string[];

  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID })
  session_id?: string;

  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID })
  purse_id?: string;

  /** The provider's origin, as payments show it, or its host. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_URL })
  provider?: string;

  @IsOmittable()
  @IsStatusFilter(SHOWN_STATUSES)
  status?: ShownStatus;

  /** Only payments created later than this moment. */
  @IsOmittable()
  @IsMoment()
  since?: string;

  /** Only payments created up to this moment. */
  @IsOmittable()
  @IsMoment()
  until?: string;
}
