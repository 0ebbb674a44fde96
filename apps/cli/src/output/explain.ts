/** Errors in words: the service's message, the rule and the numbers of a decline, and when to try again. */
import { APIConnectionError, APIError, DeclinedError, formatUsdc, InvalidRequestError, retryAfter, SignatureRequired } from '#client';
import { RefusedError } from './exit-codes';
import { indented } from './output';

/** The lines that stderr shows. */
export function explain(error: unknown): string[] {
  if (error instanceof DeclinedError) return [error.message, ...numbersOf(error), ...requestOf(error)];
  if (error instanceof InvalidRequestError && error.details.length > 1)
    return [error.message, ...error.details.map(({ field, message }) => `  ${field} ${message}`)];
  if (error instanceof APIError) return [error.message, ...retryOf(error), ...requestOf(error)];
  if (error instanceof SignatureRequired) return toSign(error);
  return [error instanceof Error ? error.message : String(error)];
}

/** The output on stdout with --json: the service's body, also that of a 202 that asks for a signature, or the error in the same form. */
export function errorBody(error: unknown): Record<string, unknown> {
  if (error instanceof APIError) return { ...error.body, error: error.code, message: error.message, http_status: error.status };
  if (error instanceof SignatureRequired) return { ...error.request };
  const code = error instanceof APIConnectionError ? 'unreachable' : error instanceof RefusedError ? error.code : 'error';
  return { error: code, message: explain(error).join('\n') };
}

function toSign({ request }: SignatureRequired): string[] {
  return [
    'Nothing was changed yet. The chain key that you hold must sign this:',
    ...indented(request.summary),
    `Sign it: aps signatures sign ${request.signature_request_id}`,
    `  expires:    ${request.expires_at}; signed later, it is renewed first`,
  ];
}

function numbersOf(error: DeclinedError): string[] {
  const { limit, attempted, remaining, reserved, availableAt } = error;
  const amounts = Object.entries({ limit, attempted, remaining, reserved })
    .filter((entry): entry is [string, bigint] => entry[1] !== undefined)
    .map(([name, amount]) => `  ${`${name}:`.padEnd(11)} ${formatUsdc(amount)} USDC`);
  return [
    `  rule:       ${error.reason}`,
    ...amounts,
    ...(availableAt ? [`  try again:  ${availableAt.toISOString()}`] : []),
    ...(error.objectId === undefined ? [] : [`  id:         ${error.objectId}`]),
  ];
}

function retryOf({ headers }: APIError): string[] {
  const ms = retryAfter(headers);
  return ms === undefined ? [] : [`Try again in ${Math.ceil(ms / 1000)} s.`];
}

function requestOf({ requestId }: APIError): string[] {
  return requestId === undefined ? [] : [`  request:    ${requestId}`];
}
