import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import type { AccountView } from '../accounts';
import { Caller } from '../http/caller';
import { NoFields } from '../http/no-fields';
import { AccountClosingService, type SweepView } from './account-closing.service';
import { AuthorityRotationService } from './authority-rotation.service';
import { CloseAccountDto, SweepAccountDto } from './key-rotation.dto';
import { OperatorRotationService, type OperatorView } from './operator-rotation.service';

/** Rotates the keys of accounts and operators, and closes accounts. */
@Controller()
export class KeyRotationController {
  constructor(
    private readonly authorities: AuthorityRotationService,
    private readonly operators: OperatorRotationService,
    private readonly closing: AccountClosingService,
  ) {}

  @Post('accounts/:id/rotate_authority')
  @HttpCode(200)
  rotateAuthority(@Param('id') id: string, @NoFields() _body: void, @Caller() caller: Caller): Promise<AccountView> {
    return this.authorities.rotate(caller.operatorId, id);
  }

  @Post('accounts/:id/close')
  @HttpCode(200)
  close(@Param('id') id: string, @Body() { destination }: CloseAccountDto, @Caller() caller: Caller): Promise<AccountView> {
    return this.closing.close(caller.operatorId, id, destination);
  }

  @Post('accounts/:id/sweep')
  @HttpCode(200)
  sweep(@Param('id') id: string, @Body() { destination }: SweepAccountDto, @Caller() caller: Caller): Promise<SweepView> {
    return this.closing.sweep(caller.operatorId, id, destination);
  }

  @Post('operators/rotate_key')
  @HttpCode(200)
  rotateKey(@NoFields() _body: void, @Caller() caller: Caller): Promise<OperatorView> {
    return this.operators.rotate(caller.operatorId);
  }
}
