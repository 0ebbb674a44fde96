import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Chain, type ChargeOrder, type SignedTransaction, type Signer, type Verdict } from '#chain';
import { idBytes } from '#database';
import { AccountsService, type Account } from '../accounts/accounts.service';
import { OrderKinds, type Landed, type OrderKind, type Told, type Transfer } from '../transfers/order-kinds.service';

/** What a provider has to send its transaction, by the chain's clock: a blockhash lives for a minute or so, and chains stall. */
const EXPIRES_IN_SECONDS = 300;

/**
 * Orders that let the key of one charge move exactly its amount. That key is the order's idempotency key: another attempt at
 * the same payment has another one. What comes of it is the payment's to tell, so the order itself tells nothing.
 */
@Injectable()
export class ChargeKind implements OrderKind, OnModuleInit {
  readonly name = 'charge';

  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly kinds: OrderKinds,
  ) {}

  onModuleInit(): void {
    this.kinds.register(this);
  }

  judge(order: Transfer, account: Account, approver: Signer | null, seq: bigint, minContextSlot: number): Promise<Verdict> {
    return this.chain.charges.judge(onChain(order, account, approver), seq, minContextSlot);
  }

  sign(order: Transfer, account: Account, approver: Signer | null, seq: bigint): Promise<SignedTransaction> {
    return this.chain.charges.signApproval(onChain(order, account, approver), seq, [this.accounts.authority(account), ...(approver ? [approver] : [])]);
  }

  initiated(): Told {
    return {};
  }

  /** Nothing has left the account yet. */
  async settled(_order: Transfer, { slot }: Landed): Promise<Told> {
    return { slot };
  }

  declined(): Told {
    return {};
  }

  /** The threshold was lowered after the verdict. Nobody is asked: whoever placed it denies it. */
  escalated(): Told {
    return {};
  }
}

function onChain(order: Transfer, account: Account, approver: Signer | null): ChargeOrder {
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
