import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  Chain,
  ChainOutcomeUnknownError,
  ChainRefusedError,
  ChainUnavailableError,
  type ChargeOrder,
  type FinishedCharge,
  type LandedOrder,
  type SignedTransaction,
  type Signer,
  type Verdict,
} from '#chain';
import { idBytes, idOf } from '#database';
import { type Account, AccountsService } from '../../accounts';
import { type Landed, type NewOrder, type Order, type OrderHandler, OrderHandlers, type SideEffects } from '../../orders';
import { ChargePayments, tellPaid, type ChargeTransaction } from './charge-payments';

/** What a provider has to send its transaction, by the chain's clock: a blockhash lives for a minute or so, and chains stall. */
const EXPIRES_IN_SECONDS = 300;

/**
 * Orders that let the key of one charge move exactly its amount. That key is the order's idempotency key: another attempt at
 * the same payment has another one. What comes of it is the payment's to tell, so the order itself tells nothing.
 */
@Injectable()
export class ChargeHandler implements OrderHandler, OnModuleInit {
  readonly name = 'charge';

  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly handlers: OrderHandlers,
    private readonly payments: ChargePayments,
  ) {}

  onModuleInit(): void {
    this.handlers.register(this);
  }

  judge(order: Order, account: Account, approver: Signer | null, seq: bigint, minContextSlot: number): Promise<Verdict> {
    return this.chain.charges.judge(onChain(order, account, approver), seq, minContextSlot);
  }

  sign(order: Order, account: Account, approver: Signer | null, seq: bigint): Promise<SignedTransaction> {
    return this.chain.charges.signApproval(onChain(order, account, approver), seq, [
      this.accounts.authority(account),
      ...(approver ? [approver] : []),
    ]);
  }

  initiated(): SideEffects {
    return {};
  }

  /** Nothing has left the account yet, unless it was remembered: then it was paid too. */
  async settled(order: Order, { signature: approval, slot }: Landed, settledAt: Date): Promise<SideEffects> {
    if (!isRemembered(order)) return { slot };
    const { operatorId, accountId, microUsdc, idempotencyKey: delegate } = order;
    const { signature } = await this.paymentOf(await this.accounts.findEver(operatorId, accountId), { delegate, approval });
    return { slot, ...tellPaid(order, { transferId: order.id, microUsdc, signature, settledAt }) };
  }

  /** A charge that was paid. One that is still open is ended first: nobody here has promised it, and then what it paid is certain. */
  async remember(landed: LandedOrder, account: Account): Promise<{ id: string; order: NewOrder } | undefined> {
    const finished = await this.end(landed, account);
    if (finished.spent === 0n || landed.delegate === null) return undefined;
    const movements = await this.chain.charges.movements({
      tokenAccount: account.usdcTokenAccount,
      delegate: landed.delegate,
      approval: landed.signature,
      end: finished.signature,
    });
    const spent = movements.reduce((sum, { microUsdc }) => sum + microUsdc, 0n);
    if (spent === 0n) return undefined;
    const receiver = movements[0]?.destination ?? null;
    const owner = receiver === null ? undefined : await this.chain.recipient(receiver);
    if (receiver === null || owner?.kind !== 'token_account')
      throw new ChainUnavailableError('a charge was paid, and its receiver is not shown');
    const { id: accountId, operatorId } = account;
    const order: NewOrder = {
      kind: this.name,
      operatorId,
      accountId,
      sessionId: null,
      idempotencyKey: landed.delegate,
      requestHash: Buffer.alloc(0),
      recipient: owner.owner,
      destination: receiver,
      destinationAccountId: null,
      microUsdc: spent,
      memo: null,
      category: landed.category,
    };
    return { id: idOf('pay', landed.id), order };
  }

  private async end({ seq }: LandedOrder, account: Account): Promise<FinishedCharge> {
    const current = await this.accounts.withCurrentKeys(account);
    try {
      return await this.chain.charges.finish(account.chainAddress, seq, current ? this.accounts.authority(current) : null);
    } catch (error) {
      if (error instanceof ChainRefusedError || error instanceof ChainOutcomeUnknownError)
        throw new ChainUnavailableError('a forgotten charge is not over yet', { cause: error });
      throw error;
    }
  }

  /** The first transaction in which a charge's key moved anything. */
  private async paymentOf({ usdcTokenAccount }: Account, charge: { delegate: string; approval: string }): Promise<ChargeTransaction> {
    const payment = await this.payments.first(usdcTokenAccount, charge);
    if (!payment) throw new ChainUnavailableError('a charge was paid, and the history does not tell by what yet');
    return payment;
  }

  declined(): SideEffects {
    return {};
  }

  /** The threshold was lowered after the verdict. Nobody is asked: whoever placed it denies it. */
  escalated(): SideEffects {
    return {};
  }
}

/** Whether the order was made of what the chain tells: it names the token account that was paid, where one of ours has only its owner. */
export function isRemembered({ recipient, destination }: Order): boolean {
  return destination !== recipient;
}

function onChain(order: Order, account: Account, approver: Signer | null): ChargeOrder {
  return {
    address: account.chainAddress,
    tokenAccount: account.usdcTokenAccount,
    chargeId: idBytes(order.id),
    microUsdc: order.microUsdc,
    category: order.category,
    delegate: order.idempotencyKey,
    expiresInSeconds: EXPIRES_IN_SECONDS,
    authority: account.authorityKey,
    approvedBy: approver?.address ?? null,
  };
}
