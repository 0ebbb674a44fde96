import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AgentAllowed } from '../http/access';
import { Caller } from '../http/caller';
import { DryRunHeader, SupportsDryRun } from '../http/dry-run';
import type { Page } from '../http/pages';
import {
  AuthorizePaymentDto,
  CreatePaymentDto,
  ListPaymentsQuery,
  PaymentsPageQuery,
  ReceiptDto,
  type PaymentDryRunView,
  type PaymentView,
} from './payments.dto';
import { PaymentListsService } from './payment-lists.service';
import { PaymentsService, type AuthorizationView } from './payments.service';

/** Calls of paid APIs. */
@Controller()
export class PaymentsController {
  constructor(
    private readonly payments: PaymentsService,
    private readonly lists: PaymentListsService,
  ) {}

  @Post('payments')
  @AgentAllowed()
  @SupportsDryRun()
  async pay(
    @Body() order: CreatePaymentDto,
    @DryRunHeader() isDryRun: boolean,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PaymentView | PaymentDryRunView> {
    if (isDryRun) {
      response.status(200);
      return this.payments.dryRun(caller, order);
    }
    const { status, headers, body } = await this.payments.pay(caller, order);
    response.status(status).set(headers);
    return body;
  }

  @Post('payments/authorize')
  @HttpCode(200)
  @AgentAllowed()
  async authorize(
    @Body() order: AuthorizePaymentDto,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AuthorizationView> {
    const { headers, body } = await this.payments.authorize(caller, order);
    response.set(headers);
    return body;
  }

  @Post('payments/:id/receipt')
  @HttpCode(200)
  @AgentAllowed()
  receipt(@Param('id') id: string, @Body() { receipt }: ReceiptDto, @Caller() caller: Caller): Promise<PaymentView> {
    return this.payments.noteReceipt(caller, id, receipt);
  }

  @Get('payments')
  @AgentAllowed()
  list(@Query() query: ListPaymentsQuery, @Caller() caller: Caller): Promise<Page<PaymentView>> {
    return this.lists.list(caller, query);
  }

  @Get('payments/:id')
  @AgentAllowed()
  show(@Param('id') id: string, @Caller() caller: Caller): Promise<PaymentView> {
    return this.payments.show(caller, id);
  }

  @Get('sessions/:id/payments')
  @AgentAllowed()
  ofSession(@Param('id') id: string, @Query() query: PaymentsPageQuery, @Caller() caller: Caller): Promise<Page<PaymentView>> {
    return this.lists.ofSession(caller, id, query);
  }

  @Get('purses/:id/payments')
  @AgentAllowed()
  ofPurse(@Param('id') id: string, @Query() query: PaymentsPageQuery, @Caller() caller: Caller): Promise<Page<PaymentView>> {
    return this.lists.ofPurse(caller, id, query);
  }
}
