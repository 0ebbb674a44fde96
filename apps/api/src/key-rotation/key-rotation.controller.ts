import { Body, Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { AccountView } from '../accounts';
import { Answers } from '../http/answers';
import { Caller, requireKey } from '../http/caller';
import { NoFields } from '../http/validation/no-fields';
import { respond, SignatureRequestsService, type SignatureRequiredView } from '../signatures';
import type { SweepView } from './account-closing.service';
import { ChainKeyService } from './chain-key.service';
import { AccountClosingAction, AuthorityRotationAction, HandOverAction, OperatorRotationAction, SweepAction } from './custody.actions';
import {
  type ChainKeyChallengeView,
  type ChainKeyView,
  CloseAccountDto,
  SetChainKeyDto,
  signatureBytes,
  SweepAccountDto,
} from './key-rotation.dto';
import type { OperatorView } from './operator-rotation.service';

/**
 * Rotates the keys of accounts and operators, and closes accounts. What needs the signature of a chain key that the operator holds itself
 * answers 202 `signature_required`.
 */
@Controller()
export class KeyRotationController {
  constructor(
    private readonly signatures: SignatureRequestsService,
    private readonly chainKeys: ChainKeyService,
    private readonly authorityRotation: AuthorityRotationAction,
    private readonly accountClosing: AccountClosingAction,
    private readonly sweeping: SweepAction,
    private readonly operatorRotation: OperatorRotationAction,
    private readonly handOver: HandOverAction,
  ) {}

  /** Gives an account a new authority key, which signs its orders. */
  @Post('accounts/:id/rotate_authority')
  @Answers({ statuses: [200, 202], errors: ['conflict', 'chain_unavailable'] })
  async rotateAuthority(
    @Param('id') accountId: string,
    @NoFields() _body: void,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AccountView | SignatureRequiredView> {
    await this.requireKey(caller);
    return respond(response, await this.signatures.perform(caller, this.authorityRotation, { accountId }));
  }

  /** Closes an account for ever, after moving its balance to a destination. */
  @Post('accounts/:id/close')
  @Answers({ statuses: [200, 202], errors: ['conflict', 'invalid_recipient', 'chain_unavailable'] })
  async close(
    @Param('id') accountId: string,
    @Body() { destination }: CloseAccountDto,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AccountView | SignatureRequiredView> {
    await this.requireKey(caller);
    return respond(response, await this.signatures.perform(caller, this.accountClosing, { accountId, destination: destination ?? null }));
  }

  /** Moves USDC that arrived at a closed account. */
  @Post('accounts/:id/sweep')
  @Answers({ statuses: [200, 202], errors: ['conflict', 'invalid_recipient', 'chain_unavailable'] })
  async sweep(
    @Param('id') accountId: string,
    @Body() { destination }: SweepAccountDto,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SweepView | SignatureRequiredView> {
    await this.requireKey(caller);
    return respond(response, await this.signatures.perform(caller, this.sweeping, { accountId, destination }));
  }

  /** Gives the operator a new chain key that the service holds, on all its accounts. */
  @Post('operators/rotate_key')
  @Answers({ statuses: [200, 202], errors: ['conflict', 'chain_unavailable'] })
  async rotateKey(
    @NoFields() _body: void,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OperatorView | SignatureRequiredView> {
    await this.requireKey(caller);
    return respond(response, await this.signatures.perform(caller, this.operatorRotation, {}));
  }

  /** Returns the operator, its chain key, and who holds it. */
  @Get('operators/me')
  me(@Caller() caller: Caller): Promise<ChainKeyView> {
    return this.chainKeys.show(caller);
  }

  /** Returns the text that the operator’s own chain key must sign to accept the accounts. It replaces the one before. */
  @Post('operators/chain_key/challenge')
  @HttpCode(200)
  challenge(@NoFields() _body: void, @Caller() caller: Caller): Promise<ChainKeyChallengeView> {
    return this.chainKeys.challenge(caller);
  }

  /**
   * Hands all accounts to a chain key that the operator holds itself.
   *
   * From then on the service holds no key that can change a policy, approve, rotate or close: it asks for a signature. Many
   * accounts are handed over after the answer: `GET /v1/operators/me` shows when all are. Where the operator holds the key
   * before too, 202 `signature_required`.
   */
  @Post('operators/chain_key')
  @Answers({ statuses: [202], errors: ['conflict', 'chain_unavailable'] })
  async setChainKey(
    @Body() { chain_key: chainKey, signature }: SetChainKeyDto,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ChainKeyView | SignatureRequiredView> {
    await this.requireKey(caller);
    const parameters = { chainKey, signature: Buffer.from(signatureBytes(signature) ?? []).toString('hex') };
    return respond(response, await this.signatures.perform(caller, this.handOver, parameters));
  }

  /** The operator key again, of a browser session. An operator that holds its chain key signs with its wallet instead. @throws Forbidden */
  private async requireKey(caller: Caller): Promise<void> {
    if (caller.lacksKey && (await this.chainKeys.isHeld(caller))) requireKey(caller);
  }
}
