/** The demand of a `solana`/`charge` challenge (draft-solana-charge-00): one payment, by an ordinary transfer. */
import type { Challenge } from '../headers/challenge';
import { isAddress, optionalText, parseAmount } from '../fields';
import { isObject } from '../json';
import { MppError } from '../mpp.errors';
import { tokenDetails, type TokenDetails } from './token-details';

export interface ChargeRequest extends TokenDetails {
  /** In base units, in all. */
  amount: bigint;
  /** The mint; `sol` for lamports. */
  currency: string;
  /** Owner of the receiving token account. */
  recipient: string;
  /** `mainnet`, `devnet` or `localnet`; undefined if the challenge does not say. */
  network: string | undefined;
  /** Whether the provider pays the fee, and by which key. */
  feePayerKey: string | undefined;
  /** A blockhash that the provider wants to be used. */
  recentBlockhash: string | undefined;
  /** Goes into the transaction as a memo. */
  externalId: string | undefined;
  /** Whether others than the recipient get a part of it. */
  hasSplits: boolean;
}

const MAX_EXTERNAL_ID_BYTES = 566;

/** @throws MppError `request_invalid` */
export function parseChargeRequest({ requestObject }: Challenge): ChargeRequest {
  const fail = (message: string): never => {
    throw new MppError('request_invalid', `the charge’s ${message}`);
  };
  const { currency, recipient, methodDetails = {} } = requestObject;
  const amount = parseAmount(requestObject.amount) ?? fail('amount is a whole number of base units as a text');
  if (typeof currency !== 'string' || (currency !== 'sol' && !isAddress(currency))) return fail('currency is a mint');
  if (!isAddress(recipient)) return fail('recipient is an address');
  if (!isObject(methodDetails)) return fail('methodDetails are an object');
  const { feePayer, splits = [] } = methodDetails;
  if (feePayer !== undefined && typeof feePayer !== 'boolean') fail('feePayer is true or false');
  if (!Array.isArray(splits)) fail('splits are a list');
  const address = (name: string): string | undefined => {
    const value = methodDetails[name];
    if (value !== undefined && !isAddress(value)) return fail(`${name} is an address`);
    return value;
  };
  const feePayerKey = address('feePayerKey');
  if (feePayer === true && feePayerKey === undefined) fail('feePayer pays by a feePayerKey');
  const externalId = optionalText(requestObject, 'externalId', fail, MAX_EXTERNAL_ID_BYTES);
  if (externalId !== undefined && Buffer.byteLength(externalId) > MAX_EXTERNAL_ID_BYTES)
    fail(`externalId has at most ${MAX_EXTERNAL_ID_BYTES} bytes`);
  return {
    amount,
    currency,
    recipient,
    network: optionalText(methodDetails, 'network', fail, 64),
    ...tokenDetails(methodDetails, fail),
    feePayerKey: feePayer === true ? feePayerKey : undefined,
    recentBlockhash: address('recentBlockhash'),
    externalId,
    hasSplits: (splits as unknown[]).length > 0,
  };
}
