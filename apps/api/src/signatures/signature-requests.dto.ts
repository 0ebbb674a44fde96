import { Check, IsOmittable, IsOneOf, itself } from '../http/validation/checks';
import { pageQuery } from '../lists/pages';
import type { SignatureRequest } from './signature-request.entity';

export const SIGNATURE_REQUEST_STATUSES = ['pending', 'expired', 'completed'] as const;
export type SignatureRequestStatus = (typeof SIGNATURE_REQUEST_STATUSES)[number];

/** A transaction has at most 1,232 bytes, which are 1,644 characters in base64. */
const MAX_TRANSACTION = 1_644;

/** Hands in what the chain key's holder has signed. */
export class SignedTransactionDto {
  /** The serialized transaction with the operator's signature, in base64. */
  @Check(
    (value) =>
      typeof value === 'string' && value.length <= MAX_TRANSACTION && /^[A-Za-z0-9+/]+={0,2}$/.test(value)
        ? []
        : [itself(`must be a serialized transaction in base64, at most ${MAX_TRANSACTION} characters`)],
    { type: 'string', contentEncoding: 'base64', maxLength: MAX_TRANSACTION },
  )
  transaction: string;
}

export class ListSignatureRequestsQuery extends pageQuery({ of: 'sig' }) {
  /** Only requests in this state. */
  @IsOmittable()
  @IsOneOf(SIGNATURE_REQUEST_STATUSES)
  status?: SignatureRequestStatus;
}

/** The answer to what needs the signature of a chain key that is held outside of the service. Nothing was changed yet. */
export interface SignatureRequiredView {
  status: 'signature_required';
  signature_request_id: string;
  /** The serialized transaction in base64, without signatures. The service adds its own when it gets the operator's. */
  transaction: string;
  /** The transaction's effects, one sentence each. */
  summary: string[];
  /** From then on the transaction is too old to be sent: renew it. */
  expires_at: string;
  message: string;
}

/** A transaction that the holder of the operator's chain key is asked to sign. */
export interface SignatureRequestView {
  signature_request_id: string;
  status: SignatureRequestStatus;
  /** The requested action, such as `policy.change`. */
  action: string;
  /** Null for an action on all accounts. */
  account_id: string | null;
  /** The chain key that must sign. */
  chain_key: string;
  transaction: string;
  summary: string[];
  created_at: string;
  /** The id of the API key that asked for the action. */
  created_by: string;
  expires_at: string;
  completed_at: string | null;
}

export function requiredView({ id, unsignedTransaction, summary, expiresAt, signer }: SignatureRequest): SignatureRequiredView {
  return {
    status: 'signature_required',
    signature_request_id: id,
    transaction: unsignedTransaction.toString('base64'),
    summary,
    expires_at: expiresAt.toISOString(),
    message: `Nothing was changed yet. Sign the transaction with the chain key ${signer}, and send it to POST /v1/signature_requests/${id} before it expires.`,
  };
}

export function requestView(request: SignatureRequest, status: SignatureRequestStatus): SignatureRequestView {
  return {
    signature_request_id: request.id,
    status,
    action: request.action,
    account_id: request.accountId,
    chain_key: request.signer,
    transaction: request.unsignedTransaction.toString('base64'),
    summary: request.summary,
    created_at: request.createdAt.toISOString(),
    created_by: request.createdBy,
    expires_at: request.expiresAt.toISOString(),
    completed_at: request.completedAt?.toISOString() ?? null,
  };
}
