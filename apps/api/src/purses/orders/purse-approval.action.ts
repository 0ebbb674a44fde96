import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts';
import type { Caller } from '../../http/caller';
import { ApprovalAction, type ApprovalParameters, type Order, OrderReader } from '../../orders';
import { type Answer, OperatorActions, type Signed } from '../../signatures';
import type { PurseView } from '../purses.dto';
import { PursesService } from '../purses.service';

/** Approves a purse that waits. */
@Injectable()
export class PurseApproval extends ApprovalAction<PurseView> {
  readonly name = 'purse.approve';

  constructor(
    actions: OperatorActions,
    accounts: AccountsService,
    private readonly purses: PursesService,
    private readonly orders: OrderReader,
  ) {
    super(actions, accounts);
  }

  run(caller: Caller, { id }: ApprovalParameters, signed: Signed | null): Promise<Answer<PurseView>> {
    return this.purses.approve(caller, id, signed);
  }

  protected async orderOf(caller: Caller, id: string): Promise<Order> {
    return this.orders.find((await this.purses.find(caller, id)).id);
  }
}
