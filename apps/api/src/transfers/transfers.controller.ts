import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AgentAllowed } from '../http/access';
import { Answers, ORDER_ERRORS } from '../http/answers';
import { Caller } from '../http/caller';
import { DryRunHeader, type DryRunView, SupportsDryRun } from '../http/dry-run';
import { NoFields } from '../http/validation/no-fields';
import type { Page } from '../lists/pages';
import { respond, SignatureRequestsService, type SignatureRequiredView } from '../signatures';
import { TransferApproval } from './transfer-approval.action';
import { CreateTransferDto, DenyTransferDto, ListTransfersQuery, type TransferView } from './transfers.dto';
import { TransfersService } from './transfers.service';

/** Orders to pay, and their one way to the chain. */
@Controller('transfers')
export class TransfersController {
  constructor(
    private readonly transfers: TransfersService,
    private readonly approval: TransferApproval,
    private readonly signatures: SignatureRequestsService,
  ) {}

  /**
   * Pays an account or an address.
   *
   * The chain enforces the policy. 200: settled. 202 with status `pending_approval`: an operator must approve it. 202 with status `submitted`: the
   * outcome is not known yet; poll it, or repeat the request with the same key. A decline is 402 and final for its key.
   */
  @Post()
  @AgentAllowed()
  @SupportsDryRun()
  @Answers({ statuses: [200, 202], errors: ORDER_ERRORS, headers: ['Idempotent-Replayed'] })
  async create(
    @Body() request: CreateTransferDto,
    @DryRunHeader() isDryRun: boolean,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TransferView | DryRunView> {
    if (!isDryRun) return respond(response, await this.transfers.create(caller, request));
    response.status(200);
    return this.transfers.dryRun(caller, request);
  }

  /** Lists the transfers. */
  @Get()
  @AgentAllowed()
  list(@Query() query: ListTransfersQuery, @Caller() caller: Caller): Promise<Page<TransferView>> {
    return this.transfers.list(caller, query);
  }

  /** Returns a transfer. */
  @Get(':id')
  @AgentAllowed()
  show(@Param('id') id: string, @Caller() caller: Caller): Promise<TransferView> {
    return this.transfers.show(caller, id);
  }

  /**
   * Approves a transfer that waits for an operator, and executes it.
   *
   * All rules are checked again. 202 `signature_required`: the operator holds the chain key, and must sign the transfer.
   */
  @Post(':id/approve')
  @Answers({ statuses: [200, 202], errors: ORDER_ERRORS, headers: ['Idempotent-Replayed'] })
  async approve(
    @Param('id') id: string,
    @NoFields() _body: void,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TransferView | SignatureRequiredView> {
    return respond(response, await this.signatures.perform(caller, this.approval, { id }));
  }

  /** Denies a transfer that waits for an operator. */
  @Post(':id/deny')
  @HttpCode(200)
  @Answers({ errors: ['conflict', 'chain_unavailable'] })
  deny(@Param('id') id: string, @Body() { reason }: DenyTransferDto, @Caller() caller: Caller): Promise<TransferView> {
    return this.transfers.deny(caller, id, reason);
  }
}
