import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  Chain,
  ChainOutcomeUnknownError,
  ChainRefusedError,
  ChainUnavailableError,
  type ChainAccount,
  type ChargeOrder,
  type FinishedCharge,
  type LandedOrder,
  type Signer,
} from '#chain';
import { idBytes } from '#database';
import { type Account, addressesOf, AccountsService, OpeningTimes } from '../../../accounts';
import {
  type FoundOrder,
  type Landed,
  type Order,
  type OrderHandler,
  OrderHandlers,
  type OrderInstruction,
  type ShownOrder,
  type SideEffects,
  withoutKeys,
} from '../../../orders';
import { asCharge, type Charge, paidEffects } from './charge-order';
import { ChargeTransactions } from './charge-transactions';

/** The time that a provider has to send its transaction, by the chain's clock: a blockhash lives for about a minute, and chains stall. */
const EXPIRES_IN_SECONDS = 300;

/** Orders that make a one-time key the delegate of exactly their amount. Events and ledger entries are the payment's. */
@Injectable()
export class ChargeHandler implements OrderHandler, OnModuleInit {
  readonly kind = 'charge';

  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly handlers: OrderHandlers,
    private readonly transactions: ChargeTransactions,
    private readonly times: OpeningTimes,
  ) {}

  onModuleInit(): void {
    this.handlers.register(this);
  }

  async instruction(order: Order): Promise<OrderInstruction> {
    const charge = asCharge(order);
    const secondsOf = (account: Account) => this.times.shortened(account, EXPIRES_IN_SECONDS);
    return {
      facts: (account) => withoutKeys(onChain(charge, account, null, EXPIRES_IN_SECONDS)),
      simulate: async (account, approver, seq, minContextSlot) =>
        this.chain.charges.simulateApproval(onChain(charge, account, approver, await secondsOf(account)), seq, minContextSlot),
      sign: async (account, approver, seq) => {
        const order = onChain(charge, account, approver, await secondsOf(account));
        return this.chain.charges.signApproval(order, seq, this.accounts.signers(account, approver));
      },
    };
  }

  initiated(): SideEffects {
    return {};
  }

  /** An approval moves no money. A backfilled charge was paid, and has lost its payment: its effects are recorded here. */
  async settled(order: Order, { signature: approval, slot }: Landed, settledAt: Date): Promise<SideEffects> {
    if (order.source !== 'backfill') return { slot };
    const charge = asCharge(order);
    const { usdcTokenAccount } = await this.accounts.findEver(charge.operatorId, charge.accountId);
    const { signature } = await this.transactions.require(usdcTokenAccount, { delegate: charge.delegateKey, approval });
    return { slot, ...paidEffects(charge, { payment: null, microUsdc: charge.microUsdc, signature, settledAt }) };
  }

  /** A charge that was paid. One that is still open is ended first: the database has no credential of it, and then its amount is final. */
  async backfill(landed: LandedOrder, account: Account): Promise<FoundOrder | undefined> {
    const finished = await this.end(landed, account);
    if (finished.spent === 0n || landed.delegate === null) return undefined;
    const { movements } = await this.chain.charges.movements({
      tokenAccount: account.usdcTokenAccount,
      delegate: landed.delegate,
      approval: landed.signature,
      end: finished.signature,
    });
    const spent = movements.reduce((sum, { microUsdc }) => sum + microUsdc, 0n);
    if (spent === 0n) return undefined;
    const destination = movements[0]?.destination ?? null;
    const owner = destination === null ? undefined : await this.chain.orders.recipient(destination);
    if (destination === null || owner?.kind !== 'token_account')
      throw new ChainUnavailableError('a charge was paid, and its destination is not shown');
    const { operatorId, id: accountId } = account;
    const { delegate: delegateKey, category } = landed;
    const facts = { operatorId, accountId, payee: owner.owner, destination, delegateKey, microUsdc: spent, category };
    return { order: (id) => ({ ...facts, id, kind: this.kind, requestHash: Buffer.alloc(0) }) };
  }

  private async end({ seq }: LandedOrder, account: Account): Promise<FinishedCharge> {
    const current = await this.accounts.withCurrentKeys(account);
    try {
      return await this.chain.charges.finish(account.chainAddress, seq, current ? this.accounts.authority(current) : null);
    } catch (error) {
      if (error instanceof ChainRefusedError || error instanceof ChainOutcomeUnknownError)
        throw new ChainUnavailableError('a charge without a row is not over yet', { cause: error });
      throw error;
    }
  }

  /** The account shows its charge, open or not, until the next one. */
  async shown({ id }: Order, _account: Account, { latestCharge }: ChainAccount): Promise<ShownOrder | undefined> {
    return latestCharge && idBytes(id).equals(latestCharge.chargeId) ? { isProven: true, microUsdc: 0n } : undefined;
  }

  /** A charge is not sent again: the provider's transfer is lost with its approval, and its payment says what the chain shows. */
  async reversed(): Promise<undefined> {
    return undefined;
  }

  async declined(): Promise<SideEffects> {
    return {};
  }

  /** The threshold was lowered after the simulation. No approval is asked for: the charge is denied. */
  escalated(): SideEffects {
    return {};
  }
}

function onChain(charge: Charge, account: Account, approver: Signer | null, expiresInSeconds: number): ChargeOrder {
  return {
    ...addressesOf(account),
    chargeId: idBytes(charge.id),
    microUsdc: charge.microUsdc,
    category: charge.category,
    delegate: charge.delegateKey,
    expiresInSeconds,
    authority: account.authorityKey,
    approvedBy: approver?.address ?? null,
  };
}
