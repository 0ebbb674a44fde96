import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AgentAllowed } from '../http/access';
import { Answers, ORDER_ERRORS } from '../http/answers';
import { Caller } from '../http/caller';
import { DryRunHeader, SupportsDryRun } from '../http/dry-run';
import type { Page } from '../lists/pages';
import { AuthorizePaymentDto, CreatePaymentDto, ListPaymentsQuery, PaymentsPageQuery, ReceiptDto } from './payments.dto';
import type { EvidenceView } from './evidence/evidence.dto';
import { EvidenceService } from './evidence/evidence.service';
import { liveResponse, wantsLive } from './provider/live-response';
import { PaymentDryRuns } from './process/payment-dry-runs';
import { PaymentListsService } from './lists/payment-lists.service';
import { PaymentReader } from './lists/payment-reader';
import { PaymentReceipts } from './lists/payment-receipts';
import type { AuthorizationView, PaymentDryRunView, PaymentView } from './lists/payment.views';
import { PaymentsService } from './payments.service';

/** Calls of paid APIs. */
@Controller()
export class PaymentsController {
  constructor(
    private readonly payments: PaymentsService,
    private readonly dryRuns: PaymentDryRuns,
    private readonly reader: PaymentReader,
    private readonly receipts: PaymentReceipts,
    private readonly lists: PaymentListsService,
    private readonly evidence: EvidenceService,
  ) {}

  /**
   * Calls a paid API, and pays what it asks for.
   *
   * The service sends the request, meets the 402, checks the price against the policy and `max_amount`, pays, and repeats the request once.
   * An API that asks for nothing is `free`. With `request.stream`, or `Accept: text/event-stream`, the answer of an API that serves the
   * request is passed on as it comes: its status, headers and body, after `Payment-Id` and `Payment-Status`. A 202 with status `unknown` is
   * resolved later and never paid twice: poll it, or repeat the request with the same key.
   */
  @Post('payments')
  @AgentAllowed()
  @SupportsDryRun()
  @Answers({
    statuses: [200, 202],
    errors: [...ORDER_ERRORS, 'provider_unreachable'],
    headers: ['Idempotent-Replayed', 'Payment-Id', 'Payment-Status'],
    contents: ['text/event-stream'],
  })
  async pay(
    @Body() order: CreatePaymentDto,
    @DryRunHeader() isDryRun: boolean,
    @Caller() caller: Caller,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PaymentView | PaymentDryRunView | StreamableFile> {
    if (isDryRun) {
      response.status(200);
      return this.dryRuns.run(caller, order);
    }
    const { status, headers, body, live } = await this.payments.pay(caller, order, wantsLive(request, order.request));
    if (live) return liveResponse(live, response);
    response.status(status).set(headers);
    return body;
  }

  /** Checks the price that an API asked for, and returns the credential to pay with, for agents with an HTTP client of their own. */
  @Post('payments/authorize')
  @HttpCode(200)
  @AgentAllowed()
  @Answers({ errors: ORDER_ERRORS, headers: ['Idempotent-Replayed'] })
  async authorize(
    @Body() order: AuthorizePaymentDto,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AuthorizationView> {
    const { headers, body } = await this.payments.authorize(caller, order);
    response.set(headers);
    return body;
  }

  /** Records the receipt of a payment that was authorized. */
  @Post('payments/:id/receipt')
  @HttpCode(200)
  @AgentAllowed()
  @Answers({ errors: ['conflict'] })
  receipt(@Param('id') id: string, @Body() { receipt }: ReceiptDto, @Caller() caller: Caller): Promise<PaymentView> {
    return this.receipts.note(caller, id, receipt);
  }

  /** Lists the payments. */
  @Get('payments')
  @AgentAllowed()
  list(@Query() query: ListPaymentsQuery, @Caller() caller: Caller): Promise<Page<PaymentView>> {
    return this.lists.list(caller, query);
  }

  /** Returns a payment. */
  @Get('payments/:id')
  @AgentAllowed()
  show(@Param('id') id: string, @Caller() caller: Caller): Promise<PaymentView> {
    return this.reader.show(caller, id);
  }

  /**
   * Returns everything that proves a payment, for a dispute.
   *
   * The request, the 402 as it came, the policy that decided, what was sent to pay, the transaction, the digest of the answer, and the signed
   * offers and receipts of the seller with their verification. In headers each value that may be a credential is replaced by its SHA-256. The
   * answer is the same each time once the payment is final.
   */
  @Get('payments/:id/evidence')
  @AgentAllowed()
  showEvidence(@Param('id') id: string, @Caller() caller: Caller): Promise<EvidenceView> {
    return this.evidence.of(caller, id);
  }

  /** Lists the payments of a session. */
  @Get('sessions/:id/payments')
  @AgentAllowed()
  ofSession(@Param('id') id: string, @Query() query: PaymentsPageQuery, @Caller() caller: Caller): Promise<Page<PaymentView>> {
    return this.lists.ofSession(caller, id, query);
  }

  /** Lists the payments of a purse. */
  @Get('purses/:id/payments')
  @AgentAllowed()
  ofPurse(@Param('id') id: string, @Query() query: PaymentsPageQuery, @Caller() caller: Caller): Promise<Page<PaymentView>> {
    return this.lists.ofPurse(caller, id, query);
  }
}
