import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Answers, type ErrorCode } from '../http/answers';
import { Caller } from '../http/caller';
import { NoFields } from '../http/validation/no-fields';
import type { Page } from '../lists/pages';
import { respond } from './respond';
import {
  ListSignatureRequestsQuery,
  SignedTransactionDto,
  type SignatureRequestView,
  type SignatureRequiredView,
} from './signature-requests.dto';
import { SignatureRequestsService } from './signature-requests.service';

/** Errors of the actions: those of a policy change, of an order, and of closing an account. */
const ACTION_ERRORS: ErrorCode[] = [
  'conflict',
  'policy_violation',
  'account_paused',
  'insufficient_balance',
  'invalid_recipient',
  'precondition_failed',
  'chain_unavailable',
];

/** Transactions that wait for the signature of a chain key that the operator holds. */
@Controller('signature_requests')
export class SignatureRequestsController {
  constructor(private readonly requests: SignatureRequestsService) {}

  /** Lists the signature requests. */
  @Get()
  list(@Query() query: ListSignatureRequestsQuery, @Caller() caller: Caller): Promise<Page<SignatureRequestView>> {
    return this.requests.list(caller, query);
  }

  /** Returns a signature request. */
  @Get(':id')
  show(@Param('id') id: string, @Caller() caller: Caller): Promise<SignatureRequestView> {
    return this.requests.show(caller, id);
  }

  /**
   * Takes the transaction back, signed, and does what waits for it.
   *
   * Answers as the first call would have: with its status and body, or 202 `signature_required` where a further transaction must be signed.
   * Repeating it is safe. 400: the transaction is not the one that was asked for, or the signature is not valid.
   */
  @Post(':id')
  @Answers({
    statuses: [200, 201, 202],
    errors: ACTION_ERRORS,
    headers: ['Idempotent-Replayed', 'ETag'],
  })
  async submit(
    @Param('id') id: string,
    @Body() { transaction }: SignedTransactionDto,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    return respond(response, await this.requests.submit(caller, id, transaction));
  }

  /**
   * Makes the transaction again with a new blockhash, to be signed instead of one that has expired.
   *
   * 409 with status `completed`: it needs no signature any more, and is done.
   */
  @Post(':id/renew')
  @Answers({
    statuses: [202],
    errors: ACTION_ERRORS,
  })
  async renew(
    @Param('id') id: string,
    @NoFields() _body: void,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignatureRequiredView> {
    return respond(response, await this.requests.renew(caller, id));
  }
}
