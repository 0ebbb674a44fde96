/** Why a seller refused a payment, and what that means for its payer. */
import { noteOf } from './fields';
import { parseObject } from './json';
import { parsePaymentRequiredHeader } from './messages/payment-required';
import { parsePaymentResponseHeader } from './messages/payment-response';
import { X402Error } from './x402.errors';

/** The meaning of a refused payment. `refusalOf` explains each. */
export type Refusal = 'simulation_failed' | 'in_flight' | 'program_not_allowed' | 'refused';

/** The answer to a payment, as far as it may say why it was refused. Headers are null if the answer has none. */
export interface RefusedAnswer {
  paymentResponse: string | null;
  paymentRequired: string | null;
  body: string;
}

/** Facilitators put a prefix before the code, and some a detail behind it. */
const SIMULATION_FAILED = /(^|_)simulation_failed(?![a-z_])/;
const PROGRAM_NOT_ALLOWED = /(^|_)smart_wallet_program_not_allowed(?![a-z_])/;
const MAX_BODY_CHARACTERS = 65_536;
const MAX_REASON_CHARACTERS = 1_000;

/**
 * The reason that an answer names, cut to 1,000 characters; undefined if it names none. Version 2 has it in `PAYMENT-RESPONSE`, or
 * in the `error` of a new `PAYMENT-REQUIRED`; version 1 in the body's `error`; `@solana/pay-kit` in the body's `code`. What is
 * malformed is passed over, because the answer is a refusal in any case.
 */
export function refusalReason({ paymentResponse, paymentRequired, body }: RefusedAnswer): string | undefined {
  const response = paymentResponse === null ? undefined : orNothing(() => parsePaymentResponseHeader(paymentResponse));
  if (response?.errorReason !== undefined) return response.errorReason;
  const required = paymentRequired === null ? undefined : orNothing(() => parsePaymentRequiredHeader(paymentRequired));
  if (required?.error !== undefined) return required.error;
  const members = body.length > MAX_BODY_CHARACTERS ? null : parseObject(body);
  return noteOf(members?.error, MAX_REASON_CHARACTERS) ?? noteOf(members?.code, MAX_REASON_CHARACTERS);
}

/**
 * The meaning of a reason. `simulation_failed`: the facilitator's node does not see what the payment needs, or has seen the payment land
 * before; this sending submitted nothing, so the same payment may be sent again. `in_flight`: the same payment is being settled, or was
 * submitted. `program_not_allowed`: the facilitator does not list the wallet program. `refused`: anything else.
 */
export function refusalOf(reason: string): Refusal {
  if (SIMULATION_FAILED.test(reason)) return 'simulation_failed';
  if (PROGRAM_NOT_ALLOWED.test(reason)) return 'program_not_allowed';
  return reason === 'duplicate_settlement' || reason === 'settlement_pending' ? 'in_flight' : 'refused';
}

function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof X402Error) return undefined;
    throw error;
  }
}
