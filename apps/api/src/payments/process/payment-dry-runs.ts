import { Injectable } from '@nestjs/common';
import { EgressError } from '../../egress/egress.errors';
import type { Caller } from '../../http/caller';
import { declineView, dryRunView, type Prediction, REPLAYED } from '../../http/dry-run';
import { formatUsdc } from '../../money/usdc';
import { Rejected } from '../../orders';
import { limitsOf, Providers } from '../../providers';
import { askedBy } from '../provider/demands';
import { PaymentClaims } from './payment-claims';
import { PaymentDecisions, type QuotedMethod } from './payment-decisions';
import { PaymentDrafts } from './payment-drafts';
import type { Payment } from '../payment.entity';
import type { Funding } from '../methods/payment-method';
import { PaymentReader } from '../lists/payment-reader';
import type { PaymentDryRunView, QuoteView } from '../lists/payment.views';
import type { CreatePaymentDto } from '../payments.dto';
import { Declined, failureOf, paymentFailureError, unreachable } from '../payments.errors';
import { ProviderCalls } from '../provider/provider-calls';
import { answerBytes, type ProviderAnswer, type ProviderCall, ProviderClient } from '../provider/provider-client';

/** The outcome that paying would have. */
interface Forecast {
  /** Every price that was understood. */
  quotes: QuotedMethod[];
  /** The HTTP status of a provider that asks for nothing; null if it asks for a payment, or was not called. */
  freeStatus: number | null;
  /** Why it would not be paid: a decline, or another error. Null if it would be. */
  error: unknown;
}

/** Dry runs of payments. */
@Injectable()
export class PaymentDryRuns {
  constructor(
    private readonly drafts: PaymentDrafts,
    private readonly claims: PaymentClaims,
    private readonly decisions: PaymentDecisions,
    private readonly reader: PaymentReader,
    private readonly providers: Providers,
    private readonly client: ProviderClient,
    private readonly calls: ProviderCalls,
  ) {}

  /** The outcome that paying would have. Makes the one unpaid request to the provider; nothing is stored, signed or sent beside it. */
  async run(caller: Caller, dto: CreatePaymentDto): Promise<PaymentDryRunView> {
    const { draft, request, openSession } = this.drafts.toPay(caller, dto);
    const provider = await this.providers.known(draft.operatorId, draft.provider);
    let forecast: Forecast = { quotes: [], freeStatus: null, error: null };
    const predict = async (): Promise<Prediction> => {
      const { funding, replayed } = await this.claims.foresee(caller, draft, openSession);
      if (replayed) {
        this.reader.answer(replayed, REPLAYED);
        return { requiresApproval: false, isReplay: true };
      }
      forecast = await this.forecast(draft, { request, provider }, funding);
      if (forecast.error !== null) throw errorOf(forecast.error);
      return { requiresApproval: false };
    };
    const view = await this.calls.during(caller.keyId, answerBytes(provider), () => dryRunView(0n, predict()));
    const { quotes, freeStatus } = forecast;
    const amount = (quotes.find(({ isChosen }) => isChosen) ?? quotes[0])?.quote.microUsdc ?? 0n;
    const free = freeStatus === null ? {} : { provider_status: freeStatus, message: `The provider asks for nothing: HTTP ${freeStatus}.` };
    return { ...view, amount_usdc: formatUsdc(amount), quotes: quotes.map(quoteView), ...free };
  }

  /** Makes the unpaid request, and checks the ways to pay in their order. @throws DomainError if the provider gives no answer. */
  private async forecast(draft: Payment, { request, provider }: Omit<ProviderCall, 'isLive'>, funding: Funding): Promise<Forecast> {
    const barred = this.decisions.barred(draft, funding);
    if (barred) return { quotes: [], freeStatus: null, error: new Declined(barred) };
    let answer: ProviderAnswer;
    try {
      answer = await this.client.call(request, { ...limitsOf(provider), isLive: false });
    } catch (error) {
      throw error instanceof EgressError ? paymentFailureError(null, unreachable(error)) : error;
    }
    if (answer.status !== 402) return { quotes: [], freeStatus: answer.status, error: null };
    return { freeStatus: null, ...(await this.decisions.forecast(draft, askedBy(answer, request, provider), funding)) };
  }
}

/** The error that a payment without a credential answers, without the name of a payment. */
function errorOf(error: unknown): unknown {
  if (error instanceof Declined) return rejectionOf(error);
  const failure = failureOf(error);
  return failure ? paymentFailureError(null, failure) : error;
}

function rejectionOf({ violation }: Declined): Rejected {
  return new Rejected({}, { reason: violation.rule, violation });
}

function quoteView({ method, quote, isChosen, declined }: QuotedMethod): QuoteView {
  return {
    protocol: method.protocol,
    method: method.name,
    amount_usdc: formatUsdc(quote.microUsdc),
    ...(quote.isMetered && { metered: true as const }),
    payee: quote.payee,
    network: quote.network,
    category: quote.category,
    expires_at: quote.expiresAt?.toISOString() ?? null,
    chosen: isChosen,
    ...(declined && { decline: declineView(rejectionOf(declined)) }),
  };
}
