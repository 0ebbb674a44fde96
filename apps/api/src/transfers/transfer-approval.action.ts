import { Injectable } from '@nestjs/common';
import { AccountsService } from '../accounts';
import type { Caller } from '../http/caller';
import { ApprovalAction, type ApprovalParameters, type Order } from '../orders';
import { type Answer, OperatorActions, type Signed } from '../signatures';
import type { TransferView } from './transfers.dto';
import { TransfersService } from './transfers.service';

/** Approves a transfer that waits. */
@Injectable()
export class TransferApproval extends ApprovalAction<TransferView> {
  readonly name = 'transfer.approve';

  constructor(
    actions: OperatorActions,
    accounts: AccountsService,
    private readonly transfers: TransfersService,
  ) {
    super(actions, accounts);
  }

  run(caller: Caller, { id }: ApprovalParameters, signed: Signed | null): Promise<Answer<TransferView>> {
    return this.transfers.approve(caller, id, signed);
  }

  protected orderOf(caller: Caller, id: string): Promise<Order> {
    return this.transfers.find(caller, id);
  }
}
