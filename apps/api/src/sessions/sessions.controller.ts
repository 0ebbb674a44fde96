import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AgentAllowed } from '../http/access';
import { Answers, OPENING_ANSWERS } from '../http/answers';
import { Caller } from '../http/caller';
import { DryRunHeader, type DryRunView, SupportsDryRun } from '../http/dry-run';
import { NoFields } from '../http/validation/no-fields';
import type { Page } from '../lists/pages';
import { respond, SignatureRequestsService, type SignatureRequiredView } from '../signatures';
import { SessionApproval } from './orders/session-approval.action';
import { SessionTopUpsService } from './orders/session-top-ups.service';
import { SessionClosingService } from './closing/session-closing.service';
import { CreateSessionDto, DenySessionDto, ListSessionsQuery, TopUpSessionDto, type SessionView } from './sessions.dto';
import { SessionNotOpen } from './sessions.errors';
import { SessionsService } from './sessions.service';

/** Statuses of sessions that are closed, or already are: the others never opened. */
const CLOSABLE: ReadonlySet<string> = new Set(['open', 'closing', 'settled'] satisfies SessionView['status'][]);

/** Caps set aside for providers. */
@Controller('sessions')
export class SessionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly closing: SessionClosingService,
    private readonly topUps: SessionTopUpsService,
    private readonly approval: SessionApproval,
    private readonly signatures: SignatureRequestsService,
  ) {}

  /**
   * Opens a session: a cap that is set aside for one provider.
   *
   * The cap counts as reserved. Payments of the session need no transaction each; the provider is paid once, when the session closes.
   */
  @Post()
  @AgentAllowed()
  @SupportsDryRun()
  @Answers(OPENING_ANSWERS)
  async open(
    @Body() request: CreateSessionDto,
    @DryRunHeader() isDryRun: boolean,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionView | DryRunView> {
    if (!isDryRun) return respond(response, await this.sessions.open(caller, request));
    response.status(200);
    return this.sessions.dryRun(caller, request);
  }

  /** Lists the sessions. */
  @Get()
  @AgentAllowed()
  list(@Query() query: ListSessionsQuery, @Caller() caller: Caller): Promise<Page<SessionView>> {
    return this.sessions.list(caller, query);
  }

  /** Returns a session. */
  @Get(':id')
  @AgentAllowed()
  show(@Param('id') id: string, @Caller() caller: Caller): Promise<SessionView> {
    return this.sessions.show(caller, id);
  }

  /** Adds to the cap of an open session. */
  @Post(':id/top_up')
  @AgentAllowed()
  @SupportsDryRun()
  @Answers(OPENING_ANSWERS)
  async topUp(
    @Param('id') id: string,
    @Body() request: TopUpSessionDto,
    @DryRunHeader() isDryRun: boolean,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionView | DryRunView> {
    if (!isDryRun) return respond(response, await this.topUps.topUp(caller, id, request));
    response.status(200);
    return this.topUps.dryRun(caller, id, request);
  }

  /** Closes a session. 200 also where it is settled already, 202 while its grace period runs. */
  @Post(':id/close')
  @AgentAllowed()
  @Answers({ statuses: [200, 202], errors: ['conflict', 'chain_unavailable'] })
  async close(
    @Param('id') id: string,
    @NoFields() _body: void,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionView> {
    const session = await this.sessions.find(caller, id);
    const { status } = await this.sessions.view(session);
    if (!CLOSABLE.has(status)) throw new SessionNotOpen(session.id, status);
    const closed = await this.closing.close(session);
    const view = await this.sessions.show(caller, id);
    if (!closed) throw new SessionNotOpen(session.id, view.status);
    response.status(view.status === 'settled' ? 200 : 202);
    return view;
  }

  /**
   * Approves an opening or a top-up that waits for an operator.
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
  ): Promise<SessionView | SignatureRequiredView> {
    const { id: orderId } = await this.sessions.waitingOrder(caller, id);
    return respond(response, await this.signatures.perform(caller, this.approval, { id: orderId }));
  }

  /** Denies an opening or a top-up that waits for an operator. */
  @Post(':id/deny')
  @HttpCode(200)
  @Answers({ errors: ['conflict', 'chain_unavailable'] })
  deny(@Param('id') id: string, @Body() { reason }: DenySessionDto, @Caller() caller: Caller): Promise<SessionView> {
    return this.sessions.deny(caller, id, reason);
  }
}
