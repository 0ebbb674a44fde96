/** Payments as the API shows them. */
import { parseReceipt } from '#mpp';
import type { DeclineView, DryRunView } from '../../http/dry-run';
import type { Metadata } from '../../lists/references';
import { formatUsdc } from '../../money/usdc';
import { textOf } from '../provider/body-text';
import type { Answer, Payment, PaymentMethodName, PaymentProtocol } from '../payment.entity';

/** The states that a payment is shown in: one that has not called its provider yet is shown as unknown. */
export const SHOWN_STATUSES = ['free', 'paid', 'paid_unreceipted', 'rejected', 'unknown', 'failed'] as const;
export type ShownStatus = (typeof SHOWN_STATUSES)[number];

/** A provider's answer. */
export interface ResponseView {
  status: number;
  headers: Record<string, string>;
  /** The body as text, where its type is a text or JSON and it is valid UTF-8; else null. */
  body: string | null;
  body_base64: string;
  /** The body is longer than what is kept. */
  truncated?: true;
}

/** The request that a payment pays for. */
export interface PaidRequestView {
  /** Null where the agent calls the provider itself. */
  method: string | null;
  /** Without the query. */
  url: string;
}

/** A payment, as the API shows it. What is not known, or no longer kept, is null. */
export interface PaymentView {
  payment_id: string;
  account_id: string;
  status: ShownStatus;
  /** Null for a metered payment whose channel is not over. */
  amount_usdc: string | null;
  category: string | null;
  /** The protocol of the provider's 402; null until the payment is authorized. */
  protocol: PaymentProtocol | null;
  method: PaymentMethodName | null;
  session_id: string | null;
  purse_id: string | null;
  reference: string | null;
  metadata: Metadata;
  provider: string;
  /** What is paid for; null for payments from before it was kept. */
  request: PaidRequestView | null;
  /** MPP: the provider's receipt, decoded. x402: its PAYMENT-RESPONSE header as it came. Neither is signed. */
  receipt: Record<string, unknown> | string | null;
  response: ResponseView | null;
  tx_signature?: string;
  rejection_reason?: string;
  message?: string;
  created_at: string;
  settled_at: string | null;
}

/** One price of a provider's 402. */
export interface QuoteView {
  protocol: PaymentProtocol;
  method: PaymentMethodName;
  /** Of a metered price the maximum. */
  amount_usdc: string;
  /** Whether the seller charges what it used, at most the amount. */
  metered?: true;
  /** The owner of the token account that is paid. */
  payee: string;
  network: string;
  category: string | null;
  expires_at: string | null;
  /** Whether the payment would be made this way. */
  chosen: boolean;
  /** Of a purse that does not pay this: the body of its decline, with its HTTP status. */
  decline?: DeclineView;
}

/** The answer to a dry run of a payment. */
export interface PaymentDryRunView extends DryRunView {
  quotes: QuoteView[];
  /** The HTTP status of a provider that asks for nothing. Absent where it asks for a payment, or is not called. */
  provider_status?: number;
  /** Says that the provider asks for nothing, with its status. */
  message?: string;
}

/** A credential for an agent that calls the provider itself. */
export interface AuthorizationView {
  payment_id: string;
  authorization: string;
  /** The header that it goes into. */
  header: string;
  amount_usdc: string;
  session_id: string | null;
  purse_id: string | null;
  reference?: string;
  metadata?: Metadata;
  /** x402: the object in the header, for MCP's `_meta["x402/payment"]`. */
  payment_payload?: Record<string, unknown>;
}

const UNKNOWN_MESSAGE =
  'The credential is out and its fate is not known yet: poll the payment, or repeat the same request with the same key. It is never paid twice.';

/** The amount of a payment; null while its channel is open, because that may still pay more or less. */
function amountOf({ method, status, microUsdc }: Payment): string | null {
  if (method === 'channel' && status === 'unknown') return null;
  return formatUsdc(status === 'free' ? 0n : microUsdc);
}

/** A payment, with the provider's answer if it is kept. */
export function paymentView(payment: Payment, answer: Answer | null): PaymentView {
  const { signature, rejectionReason, violation, failure } = payment;
  const status = payment.status === 'created' ? 'unknown' : payment.status;
  const message = status === 'unknown' ? UNKNOWN_MESSAGE : (violation?.message ?? failure?.message);
  return {
    payment_id: payment.id,
    account_id: payment.accountId,
    status,
    amount_usdc: amountOf(payment),
    category: payment.category,
    protocol: payment.protocol,
    method: payment.method,
    session_id: payment.sessionId,
    purse_id: payment.purseId,
    reference: payment.reference,
    metadata: payment.metadata,
    provider: payment.provider,
    request: payment.requestUrl === null ? null : { method: payment.requestMethod, url: payment.requestUrl },
    receipt: payment.receipt === null || payment.protocol === 'x402' ? payment.receipt : parseReceipt(payment.receipt).members,
    response: answer && {
      status: answer.status,
      headers: answer.headers,
      body: textOf(answer.body, answer.headers['content-type']),
      body_base64: answer.body.toString('base64'),
      ...(answer.truncated && { truncated: true as const }),
    },
    ...(signature !== null && { tx_signature: signature }),
    ...(rejectionReason !== null && { rejection_reason: rejectionReason }),
    ...(message !== undefined && { message }),
    created_at: payment.createdAt.toISOString(),
    settled_at: status === 'unknown' ? null : (payment.finalAt?.toISOString() ?? null),
  };
}
