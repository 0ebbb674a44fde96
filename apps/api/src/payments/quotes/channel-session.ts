/** The price in a provider's MPP session challenges of the program payment-channels, checked against everything that needs no chain. */
import { PAYMENT_CHANNELS_ADDRESS } from '#chain';
import { categoryOf, MppError, parseChallenges, parseSessionRequest, type SessionRequest } from '#mpp';
import type { Asked } from '../methods/payment-method';
import { Declined } from '../payments.errors';
import { firstQuote, type MppQuote, namesOf, requireMoney, type Terms } from './mpp';

/** A payer gets its rest back after this time at the latest. */
const MAX_GRACE_SECONDS = 86_400;
/** Sellers that name no idle time close channels after five minutes, as the stock server does. */
const USUAL_IDLE_SECONDS = 300;

/** A price for one more voucher of a channel. */
export interface ChannelSessionQuote extends MppQuote {
  /** The key that pays fee and rent. */
  feePayer: string;
  /** The key of the seller's that signs the vouchers, pinned for its host; null if the service signs them. */
  operator: string | null;
  graceSeconds: number;
  idleSeconds: number;
  request: SessionRequest;
}

/** Whether a 402 asks for a session of payment-channels. */
export function offersChannelSession({ challenges }: Asked): boolean {
  return parseChallenges(challenges).challenges.some((challenge) => {
    if (challenge.method !== 'solana' || challenge.intent !== 'session') return false;
    try {
      return parseSessionRequest(challenge).channelProgram === PAYMENT_CHANNELS_ADDRESS;
    } catch (error) {
      if (error instanceof MppError) return false;
      throw error;
    }
  });
}

/** The first challenge that a voucher of a channel may answer. @throws Declined, with the reason against the first session challenge */
export function quoteChannelSession(asked: Asked, terms: Terms): ChannelSessionQuote {
  return firstQuote('session', asked, terms, (challenge) => {
    const request = parseSessionRequest(challenge);
    requireMoney(request, terms.identity);
    const { gracePeriodSeconds: grace, feePayerKey: feePayer, voucherSigner, amount, minVoucherDelta, recipient } = request;
    const unsupported = (message: string): Declined => Declined.because('unsupported_method', message);
    if (request.channelProgram !== PAYMENT_CHANNELS_ADDRESS)
      throw unsupported(`The provider wants a session of the program ${request.channelProgram}.`);
    const operator = voucherSigner === 'client' ? null : pinnedOperator(voucherSigner, request.operator, asked);
    if (feePayer === undefined) throw unsupported('The provider makes the payer pay fee and rent of the channel.');
    if (grace === undefined) throw Declined.because('challenge_invalid', 'The challenge does not say how long its grace period is.');
    if (grace > MAX_GRACE_SECONDS)
      throw unsupported(`The provider keeps the rest of a channel for ${grace} seconds, and ${MAX_GRACE_SECONDS} are given.`);
    if (request.hasSplits) throw Declined.because('recipient_mismatch', 'The challenge splits the amount among others than its recipient.');
    requirePayee(recipient, asked);
    if (minVoucherDelta !== undefined && minVoucherDelta > amount)
      throw Declined.because('challenge_invalid', 'The challenge asks for less than its least voucher.');
    return {
      challenge,
      ...namesOf(challenge, terms),
      microUsdc: amount,
      payee: recipient,
      category: categoryOf(challenge) ?? null,
      feePayer,
      operator,
      graceSeconds: grace,
      idleSeconds: request.idleTimeoutSeconds ?? USUAL_IDLE_SECONDS,
      request,
    };
  });
}

/** The key that signs a seller's own vouchers. @throws Declined unless it is the one that the operator pinned for the host */
export function pinnedOperator(voucherSigner: string, operator: string | undefined, asked: Asked): string {
  const unsupported = (message: string): Declined => Declined.because('unsupported_method', message);
  if (voucherSigner !== 'operator' && voucherSigner !== 'server') throw unsupported(`Vouchers are to be signed by "${voucherSigner}".`);
  if (operator === undefined) throw unsupported('The provider wants to sign the vouchers itself, and does not name its key.');
  const reason = reasonAgainstOperator(operator, asked);
  if (reason) throw reason;
  return operator;
}

/** Why a key may not sign a seller's own vouchers: undefined only for the one that the operator pinned for the host. */
export function reasonAgainstOperator(operator: string, { provider }: Asked): Declined | undefined {
  const pinned = provider?.operatorKey ?? null;
  if (pinned === operator) return undefined;
  const known = pinned === null ? 'no operator_key is pinned for its host' : `the operator_key of its host is ${pinned}`;
  return Declined.because(
    'unsupported_method',
    `The provider wants to sign the vouchers itself, by the key ${operator}, and ${known}: it could take a whole deposit.`,
  );
}

function requirePayee(recipient: string, { provider }: Asked): void {
  if (provider?.payee && provider.payee !== recipient)
    throw Declined.because('recipient_mismatch', `The provider is to be paid at ${provider.payee}, and asks for ${recipient}.`, {
      allowed: [provider.payee],
    });
}
