import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AgentAllowed } from '../http/access';
import { Answers, OPENING_ANSWERS } from '../http/answers';
import { Caller } from '../http/caller';
import { DryRunHeader, type DryRunView, SupportsDryRun } from '../http/dry-run';
import { NoFields } from '../http/validation/no-fields';
import type { Page } from '../lists/pages';
import { respond, SignatureRequestsService, type SignatureRequiredView } from '../signatures';
import { PurseApproval } from './orders/purse-approval.action';
import { CreatePurseDto, DenyPurseDto, ListPursesQuery, type PurseView } from './purses.dto';
import { PursesService } from './purses.service';

/** Purses: opened, listed and approved. Payments close them. */
@Controller('purses')
export class PursesController {
  constructor(
    private readonly purses: PursesService,
    private readonly approval: PurseApproval,
    private readonly signatures: SignatureRequestsService,
  ) {}

  /**
   * Opens a purse: one on-chain allowance for many x402 payments, or with `kind: "channel"` an amount for channels to metered sellers.
   *
   * `amount` is judged by the policy as one transfer and counts as reserved. An account has one open allowance purse or charge at a time,
   * and any number of channel purses.
   */
  @Post()
  @AgentAllowed()
  @SupportsDryRun()
  @Answers(OPENING_ANSWERS)
  async open(
    @Body() dto: CreatePurseDto,
    @DryRunHeader() isDryRun: boolean,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PurseView | DryRunView> {
    if (!isDryRun) return respond(response, await this.purses.open(caller, dto));
    response.status(200);
    return this.purses.dryRun(caller, dto);
  }

  /** Lists the purses. */
  @Get()
  @AgentAllowed()
  list(@Query() query: ListPursesQuery, @Caller() caller: Caller): Promise<Page<PurseView>> {
    return this.purses.list(caller, query);
  }

  /**
   * Approves a purse that waits for an operator, and opens it.
   *
   * 202 `signature_required`: the operator holds the chain key, and must sign it.
   */
  @Post(':id/approve')
  @Answers(OPENING_ANSWERS)
  async approve(
    @Param('id') id: string,
    @NoFields() _body: void,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PurseView | SignatureRequiredView> {
    return respond(response, await this.signatures.perform(caller, this.approval, { id }));
  }

  /** Denies a purse that waits for an operator. */
  @Post(':id/deny')
  @HttpCode(200)
  @Answers({ errors: ['conflict', 'chain_unavailable'] })
  deny(@Param('id') id: string, @Body() { reason }: DenyPurseDto, @Caller() caller: Caller): Promise<PurseView> {
    return this.purses.deny(caller, id, reason);
  }
}
