import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Chain } from '#chain';
import { idOf } from '#database';
import { formatUsdc } from '../../money/usdc';
import type { Order, SideEffects } from '../../orders';

/** Transactions that name a charge's key and are looked at: strangers may name it too. */
const MAX_NAMESAKES = 100;
/** So much of a charge's id says whose it is; the rest tells attempts apart. */
const OWNER_BYTES = 12;
const ATTEMPT_BYTES = 4;

/** The transaction that paid a charge. */
export interface ChargeTransaction {
  signature: string;
  /** The token account that was paid. */
  receiver: string | null;
}

/** What the chain tells of charges: who made them, and what paid them. */
@Injectable()
export class ChargePayments {
  constructor(private readonly chain: Chain) {}

  /**
   * The transaction in which a charge's key moved so much, as the settlement commitment knows it; undefined where there is none. The
   * key stands in no other but its approval, unless strangers name it. @throws ChainUnavailableError
   */
  async find(
    tokenAccount: string,
    charge: { delegate: string; approval: string | null; microUsdc: bigint },
  ): Promise<ChargeTransaction | undefined> {
    const namesakes = await this.chain.history.signaturesAfter(charge.delegate, charge.approval);
    for (const signature of namesakes.slice(0, MAX_NAMESAKES)) {
      const { microUsdc, receiver } = await this.chain.history.changeIn(signature, tokenAccount);
      if (microUsdc === -charge.microUsdc) return { signature, receiver };
    }
    return undefined;
  }

  /** The first transaction in which a charge's key moved anything; undefined where there is none. @throws ChainUnavailableError */
  async first(
    tokenAccount: string,
    { delegate, approval }: { delegate: string; approval: string | null },
  ): Promise<ChargeTransaction | undefined> {
    const naming = await this.chain.history.signaturesAfter(delegate, approval);
    for (const signature of naming.slice(0, MAX_NAMESAKES)) {
      const [moved] = await this.chain.history.movedBy(delegate, tokenAccount, signature);
      if (moved) return { signature, receiver: moved.destination };
    }
    return undefined;
  }
}

/** What is told when a charge was paid: its line of history, and its event. `transferId` is what the event names it by. */
export function tellPaid(
  { id, operatorId, accountId, recipient, category }: Pick<Order, 'id' | 'operatorId' | 'accountId' | 'recipient' | 'category'>,
  { transferId, microUsdc, signature, settledAt }: { transferId: string; microUsdc: bigint; signature: string; settledAt: Date },
): Required<Pick<SideEffects, 'lines' | 'event'>> {
  const data = {
    transfer_id: transferId,
    payment_id: transferId,
    account_id: accountId,
    amount_usdc: formatUsdc(microUsdc),
    tx_signature: signature,
    settled_at: settledAt.toISOString(),
  };
  return {
    lines: [
      {
        accountId,
        type: 'transfer',
        direction: 'out',
        microUsdc,
        counterparty: recipient,
        memo: null,
        category,
        signature,
        transferId: id,
        sessionId: null,
        rejectionReason: null,
        settledAt,
      },
    ],
    event: { operatorId, accountId, type: 'transfer.settled', data },
  };
}

/** What a charge is made under: also a database that has forgotten it knows it again by the idempotency key. */
export interface ChargeOwner {
  operatorId: string;
  idempotencyKey: string;
}

/** A new id for a charge of this owner. */
export function newChargeId(owner: ChargeOwner): string {
  return idOf('pay', Buffer.concat([ownerBytes(owner), randomBytes(ATTEMPT_BYTES)]));
}

/** The lowest and the highest id that a charge of this owner can have. */
export function chargeIds(owner: ChargeOwner): [string, string] {
  const [lowest, highest] = [0, 255].map((byte) => idOf('pay', Buffer.concat([ownerBytes(owner), Buffer.alloc(ATTEMPT_BYTES, byte)])));
  return [lowest ?? '', highest ?? ''];
}

function ownerBytes({ operatorId, idempotencyKey }: ChargeOwner): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([operatorId, idempotencyKey]))
    .digest()
    .subarray(0, OWNER_BYTES);
}
