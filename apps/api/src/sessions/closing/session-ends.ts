import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Chain, type SessionOutcome } from '#chain';
import { type Account, AccountsService, DepositsService, UnexplainedAmounts, type Unresolved, type UnresolvedFinder } from '../../accounts';
import { OrderReader } from '../../orders';
import { SessionReader } from '../store/session-reader';
import type { Session } from '../session.entity';

/** Ends of sessions by the state of the chain, if no node has their transactions any more. */
@Injectable()
export class SessionEnds implements OnModuleInit, UnresolvedFinder {
  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly deposits: DepositsService,
    private readonly amounts: UnexplainedAmounts,
    private readonly orders: OrderReader,
    private readonly reader: SessionReader,
  ) {}

  onModuleInit(): void {
    this.amounts.register(this);
  }

  /**
   * The end of a session that the finalized chain does not have any more, while no node has its opening either. What it paid is missing in
   * the account's balance. Undefined if the state does not show it. @throws ChainUnavailableError
   */
  async shown(session: Session): Promise<SessionOutcome | undefined> {
    const account = await this.accounts.findEver(session.operatorId, session.accountId);
    if (!(await this.isGone(session, account))) return undefined;
    await this.deposits.readToEnd(account.id);
    const settled = await this.amounts.amountOf(session.id, account);
    if (settled === undefined) return undefined;
    return {
      signature: null,
      slot: Number(account.observedSlot),
      status: 'closed',
      paid: settled - session.settledMicroUsdc,
      settled,
      returned: session.capMicroUsdc - settled,
      owed: 0n,
      endsAt: null,
    };
  }

  /** The open and closing sessions of an account that the chain does not have any more, and those that owe their payee. */
  async unresolved(account: Account): Promise<Unresolved[]> {
    const sessions = (await this.reader.unended(account.id)).filter(({ address }) => address !== null);
    if (sessions.length === 0) return [];
    const onChain = await this.chain.sessions.sessions(
      sessions.map(({ address }) => address ?? ''),
      Number(account.observedSlot),
    );
    return sessions.flatMap((session, index): Unresolved[] => {
      const [held, found] = [session.capMicroUsdc, onChain[index]];
      if (!found) return [{ id: session.id, least: session.settledMicroUsdc, most: mostOf(session), held }];
      return found.status === 'owed' ? [{ id: session.id, least: found.proven, most: found.proven, held }] : [];
    });
  }

  private async isGone({ id, address, openSignature }: Session, { chainAddress }: Account): Promise<boolean> {
    const order = await this.orders.findIfStored(id);
    if (!order || order.seq === null) return false;
    const [finalized] = await this.chain.accounts.findMany([chainAddress], 0, 'finalized');
    const [session] = await this.chain.sessions.sessions([address ?? ''], 0, 'finalized');
    if (session || !finalized?.isNonceUsed(order.seq)) return false;
    return openSignature === null || (await this.chain.orders.finalities([openSignature]))[0] === 'missing';
  }
}

/** The most that a session can have paid: its newest voucher. A restored database does not have the newest. */
function mostOf({ capMicroUsdc, signedMicroUsdc, settledMicroUsdc, cutAt }: Session): bigint {
  if (cutAt !== null) return capMicroUsdc;
  return signedMicroUsdc > settledMicroUsdc ? signedMicroUsdc : settledMicroUsdc;
}
