/** The demand of a `solana`/`session` challenge (draft-solana-session-00): a voucher for one more unit out of an escrow. */
import type { Challenge } from '../headers/challenge';
import { isAddress, optionalText, parseAmount } from '../fields';
import { isObject } from '../json';
import { MppError } from '../mpp.errors';
import { tokenDetails, type TokenDetails } from './token-details';

export interface SessionRequest extends TokenDetails {
  /** Price of what was asked for, in base units. */
  amount: bigint;
  /** The mint. */
  currency: string;
  /** Owner of the receiving token account. */
  recipient: string;
  network: string;
  /** The program that holds the escrow. */
  channelProgram: string;
  /** The session that the provider expects, if it says. */
  channelId: string | undefined;
  /** Least difference between two vouchers. */
  minVoucherDelta: bigint | undefined;
  /** The amount that the provider would like to see in the escrow. */
  suggestedDeposit: bigint | undefined;
  minimumDeposit: bigint | undefined;
  /** The party that signs the vouchers: `client`, or `operator`, the key that the provider names. */
  voucherSigner: string;
  /** The provider's key that signs vouchers, if it does. */
  operator: string | undefined;
  hasSplits: boolean;
  /** Seconds from a payer's request to close to the end of the channel. */
  gracePeriodSeconds: number | undefined;
  /** After so many seconds without a voucher the provider closes the channel. */
  idleTimeoutSeconds: number | undefined;
  /** The key that pays fee and rent of the channel; undefined if the payer is to pay them. */
  feePayerKey: string | undefined;
  /** The blockhash that the opening must have. */
  recentBlockhash: string | undefined;
  /** The newest slot that the opening may name. */
  recentSlot: bigint | undefined;
}

/** @throws MppError `request_invalid` */
export function parseSessionRequest({ requestObject }: Challenge): SessionRequest {
  const fail = (message: string): never => {
    throw new MppError('request_invalid', `the session’s ${message}`);
  };
  const { currency, recipient, methodDetails } = requestObject;
  const amount = parseAmount(requestObject.amount) ?? fail('amount is a whole number of base units as a text');
  if (!isAddress(currency)) return fail('currency is a mint');
  if (!isAddress(recipient)) return fail('recipient is an address');
  if (!isObject(methodDetails)) return fail('methodDetails are an object');
  const { channelProgram, channelId, distributionSplits = [] } = methodDetails;
  if (!isAddress(channelProgram)) return fail('channelProgram is an address');
  if (channelId !== undefined && !isAddress(channelId)) return fail('channelId is an address');
  if (!Array.isArray(distributionSplits)) return fail('distributionSplits are a list');
  const deposit = (value: unknown, name: string): bigint | undefined =>
    value === undefined ? undefined : (parseAmount(value) ?? fail(`${name} is a whole number of base units as a text`));
  return {
    amount,
    currency,
    recipient,
    network: optionalText(methodDetails, 'network', fail, 64) ?? fail('network is missing'),
    ...tokenDetails(methodDetails, fail),
    channelProgram,
    channelId,
    minVoucherDelta: deposit(methodDetails.minVoucherDelta, 'minVoucherDelta'),
    suggestedDeposit: deposit(requestObject.suggestedDeposit, 'suggestedDeposit'),
    minimumDeposit: deposit(requestObject.minimumDeposit, 'minimumDeposit'),
    voucherSigner: optionalText(methodDetails, 'voucherSigner', fail, 64) ?? 'client',
    operator: isAddress(methodDetails.operator) ? methodDetails.operator : undefined,
    hasSplits: distributionSplits.length > 0,
    gracePeriodSeconds: seconds(methodDetails.gracePeriodSeconds),
    idleTimeoutSeconds: seconds(methodDetails.idleTimeoutSeconds),
    feePayerKey: methodDetails.feePayer === true && isAddress(methodDetails.feePayerKey) ? methodDetails.feePayerKey : undefined,
    recentBlockhash: isAddress(methodDetails.recentBlockhash) ? methodDetails.recentBlockhash : undefined,
    recentSlot: parseAmount(methodDetails.recentSlot) ?? undefined,
  };
}

/** Whole seconds; undefined for anything else. */
function seconds(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
