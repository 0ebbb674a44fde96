import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import type { AccountView } from '../accounts';
import { Caller } from '../http/caller';
import { Answers } from '../http/answers';
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

  /** Gives an account a new authority key, which signs its orders. */
  @Post('accounts/:id/rotate_authority')
  @HttpCode(200)
  @Answers({ errors: ['conflict', 'chain_unavailable'] })
  rotateAuthority(@Param('id') id: string, @NoFields() _body: void, @Caller() caller: Caller): Promise<AccountView> {
    return this.authorities.rotate(caller, id);
  }

  /** Closes an account for ever, after moving its balance to a destination. */
  @Post('accounts/:id/close')
  @HttpCode(200)
  @Answers({ errors: ['conflict', 'invalid_recipient', 'chain_unavailable'] })
  close(@Param('id') id: string, @Body() { destination }: CloseAccountDto, @Caller() caller: Caller): Promise<AccountView> {
    return this.closing.close(caller, id, destination);
  }

  /** Moves USDC that arrived at a closed account. */
  @Post('accounts/:id/sweep')
  @HttpCode(200)
  @Answers({ errors: ['conflict', 'invalid_recipient', 'chain_unavailable'] })
  sweep(@Param('id') id: string, @Body() { destination }: SweepAccountDto, @Caller() caller: Caller): Promise<SweepView> {
    return this.closing.sweep(caller, id, destination);
  }

  /** Gives the operator a new chain key, on all its accounts. */
  @Post('operators/rotate_key')
  @HttpCode(200)
  @Answers({ errors: ['conflict', 'chain_unavailable'] })
  rotateKey(@NoFields() _body: void, @Caller() caller: Caller): Promise<OperatorView> {
    return this.operators.rotate(caller);
  }
}
