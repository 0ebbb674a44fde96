/** Rotation, closing and sweeping as actions that the operator's chain key signs. */
import { Injectable } from '@nestjs/common';
import { MAX_HANDED_OVER } from '#chain';
import { type AccountView, AccountsService, closedAccountView } from '../accounts';
import type { Caller } from '../http/caller';
import { type Answer, OperatorAction, OperatorActions, type Signed } from '../signatures';
import { AccountClosingService, type SweepView } from './account-closing.service';
import { AuthorityRotationService } from './authority-rotation.service';
import { ChainKeyService } from './chain-key.service';
import type { ChainKeyView } from './key-rotation.dto';
import { OperatorRotationService, type OperatorView } from './operator-rotation.service';

interface AccountParameters {
  accountId: string;
}

interface ClosingParameters extends AccountParameters {
  destination: string | null;
}

interface SweepParameters extends AccountParameters {
  destination: string;
}

type Described = { accountId: string; summary: string[] };

/** Gives an account a new authority key. */
@Injectable()
export class AuthorityRotationAction extends OperatorAction<AccountParameters, AccountView> {
  readonly name = 'authority_key.rotate';

  constructor(
    actions: OperatorActions,
    private readonly accounts: AccountsService,
    private readonly authorities: AuthorityRotationService,
  ) {
    super(actions);
  }

  async run(caller: Caller, { accountId }: AccountParameters, signed: Signed | null): Promise<Answer<AccountView>> {
    return done(await this.authorities.rotate(caller, accountId, signed));
  }

  async describe({ operatorId }: Caller, { accountId }: AccountParameters): Promise<Described> {
    const { id, name } = await this.accounts.find(operatorId, accountId);
    return { accountId: id, summary: [`${name} (${id}) gets a new authority key. An open charge or purse of it ends.`] };
  }
}

/** Closes an account for ever. */
@Injectable()
export class AccountClosingAction extends OperatorAction<ClosingParameters, AccountView> {
  readonly name = 'account.close';

  constructor(
    actions: OperatorActions,
    private readonly accounts: AccountsService,
    private readonly closing: AccountClosingService,
  ) {
    super(actions);
  }

  async run(caller: Caller, { accountId, destination }: ClosingParameters, signed: Signed | null): Promise<Answer<AccountView>> {
    // A process that died may have closed the account before it could store its answer.
    const account = signed?.isRepeated ? await this.accounts.findEver(caller.operatorId, accountId) : null;
    if (account?.state === 'closed') return done(closedAccountView(account));
    return done(await this.closing.close(caller, accountId, destination, signed));
  }

  async describe({ operatorId }: Caller, { accountId, destination }: ClosingParameters): Promise<Described> {
    const { id, name } = await this.accounts.find(operatorId, accountId);
    const money = destination === null ? 'It must be empty.' : `Its balance moves to ${destination}.`;
    return { accountId: id, summary: [`${name} (${id}) is closed for ever.`, money] };
  }
}

/** Moves USDC that arrived at a closed account. */
@Injectable()
export class SweepAction extends OperatorAction<SweepParameters, SweepView> {
  readonly name = 'account.sweep';

  constructor(
    actions: OperatorActions,
    private readonly accounts: AccountsService,
    private readonly closing: AccountClosingService,
  ) {
    super(actions);
  }

  async run(caller: Caller, { accountId, destination }: SweepParameters, signed: Signed | null): Promise<Answer<SweepView>> {
    return done(await this.closing.sweep(caller, accountId, destination, signed));
  }

  async describe({ operatorId }: Caller, { accountId, destination }: SweepParameters): Promise<Described> {
    const { id, name } = await this.accounts.findEver(operatorId, accountId);
    return { accountId: id, summary: [`What has arrived at the closed account ${name} (${id}) moves to ${destination}.`] };
  }
}

/** Gives the operator a chain key that the service makes and holds. */
@Injectable()
export class OperatorRotationAction extends OperatorAction<Record<string, never>, OperatorView> {
  readonly name = 'operator_key.rotate';

  constructor(
    actions: OperatorActions,
    private readonly accounts: AccountsService,
    private readonly rotation: OperatorRotationService,
  ) {
    super(actions);
  }

  async run(caller: Caller, _parameters: Record<string, never>, signed: Signed | null): Promise<Answer<OperatorView>> {
    return done(await this.rotation.rotate(caller, signed));
  }

  async describe({ operatorId }: Caller): Promise<{ accountId: null; summary: string[] }> {
    return describeHandOver(await this.accounts.addressesOf(operatorId), 'a new chain key that the service holds');
  }
}

interface HandOverParameters {
  chainKey: string;
  /** 64 bytes in hexadecimal. */
  signature: string;
}

/** Hands all accounts to a chain key that the operator holds itself. */
@Injectable()
export class HandOverAction extends OperatorAction<HandOverParameters, ChainKeyView> {
  readonly name = 'operator_key.hand_over';

  constructor(
    actions: OperatorActions,
    private readonly accounts: AccountsService,
    private readonly chainKeys: ChainKeyService,
  ) {
    super(actions);
  }

  /** 202: if the service holds the key before, it may hand accounts over after the answer. */
  async run(caller: Caller, { chainKey, signature }: HandOverParameters, signed: Signed | null): Promise<Answer<ChainKeyView>> {
    return { status: 202, headers: {}, body: await this.chainKeys.handOver(caller, chainKey, Buffer.from(signature, 'hex'), signed) };
  }

  async describe({ operatorId }: Caller, { chainKey }: HandOverParameters): Promise<{ accountId: null; summary: string[] }> {
    return describeHandOver(await this.accounts.addressesOf(operatorId), `the chain key ${chainKey}`);
  }
}

function describeHandOver(addresses: string[], next: string): { accountId: null; summary: string[] } {
  const sentence = `All accounts (${addresses.length}) are handed to ${next}. One transaction moves at most ${MAX_HANDED_OVER}.`;
  return { accountId: null, summary: [sentence] };
}

function done<T>(body: T): Answer<T> {
  return { status: 200, headers: {}, body };
}
