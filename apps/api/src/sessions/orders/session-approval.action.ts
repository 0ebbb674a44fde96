import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts';
import type { Caller } from '../../http/caller';
import { ApprovalAction, type ApprovalParameters, type Order } from '../../orders';
import { type Answer, OperatorActions, type Signed } from '../../signatures';
import type { SessionView } from '../sessions.dto';
import { SessionsService } from '../sessions.service';

/** Approves an opening or a top-up that waits. Its parameter is the order, because a session has several one after the other. */
@Injectable()
export class SessionApproval extends ApprovalAction<SessionView> {
  readonly name = 'session.approve';

  constructor(
    actions: OperatorActions,
    accounts: AccountsService,
    private readonly sessions: SessionsService,
  ) {
    super(actions, accounts);
  }

  run(caller: Caller, { id }: ApprovalParameters, signed: Signed | null): Promise<Answer<SessionView>> {
    return this.sessions.approve(caller, id, signed);
  }

  protected orderOf(caller: Caller, id: string): Promise<Order> {
    return this.sessions.findOrder(caller, id);
  }
}
