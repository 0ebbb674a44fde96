/** The order of a charge: its id, its typed columns, and what is recorded when it was paid. */
import { randomBytes } from 'node:crypto';
import { idOf, type IdPrefix } from '#database';
import { referenceMembers, referenceOf, UNREFERENCED } from '../../../lists/references';
import { formatUsdc } from '../../../money/usdc';
import type { Order, SideEffects } from '../../../orders';
import type { Payment } from '../../payment.entity';

/** Bytes of a charge's id that are a digest of its payment's request. The rest distinguishes attempts. */
const OWNER_BYTES = 12;
const ATTEMPT_BYTES = 4;

/** An order of the kind `charge`: the columns that the database requires of that kind are not null. */
export type Charge = Order & { kind: 'charge'; payee: string; delegateKey: string };

/** An amount that left an account by a charge, and the transaction that moved it; null if no node shows it any more. */
export interface PaidCharge {
  signature: string | null;
  slot: number | null;
  microUsdc: bigint;
}

/** @throws Error for an order of another kind. */
export function asCharge(order: Order): Charge {
  const { kind, payee, delegateKey } = order;
  if (kind !== 'charge' || payee === null || delegateKey === null) throw new Error(`${order.id} is no charge`);
  return Object.assign(order, { kind, payee, delegateKey });
}

/** A new id for a charge of a payment, by the digest of its request. The id is on chain, so a restored database finds the charge. */
export function newChargeId(digest: Uint8Array): string {
  return newIdWith('chg', digest);
}

/** The lowest and the highest id that a charge of a payment can have. */
export function chargeIds(digest: Uint8Array): [string, string] {
  return idsWith('chg', digest);
}

/** A new id for an order of a payment, by the digest of its request. */
export function newIdWith(prefix: IdPrefix, digest: Uint8Array): string {
  return idOf(prefix, Buffer.concat([digest.subarray(0, OWNER_BYTES), randomBytes(ATTEMPT_BYTES)]));
}

/** The lowest and the highest id that an order of a payment can have. */
export function idsWith(prefix: IdPrefix, digest: Uint8Array): [string, string] {
  const idOfAttempt = (byte: number): string =>
    idOf(prefix, Buffer.concat([digest.subarray(0, OWNER_BYTES), Buffer.alloc(ATTEMPT_BYTES, byte)]));
  return [idOfAttempt(0), idOfAttempt(255)];
}

/**
 * The event and the ledger entry of a paid charge, or of what was paid `outOf` a purse, which has no order of its own. `channelPurseId`: the
 * purse whose payment channel paid it. `payment` is null if a restored database has lost it.
 */
export function paidEffects(
  { id, operatorId, accountId, payee, category }: Pick<Order, 'id' | 'operatorId' | 'accountId' | 'payee' | 'category'>,
  paid: {
    payment: Pick<Payment, 'id' | 'provider' | 'reference' | 'metadata' | 'reversedAt'> | null;
    outOf?: string | null;
    channelPurseId?: string | null;
    microUsdc: bigint;
    signature: string | null;
    settledAt: Date;
  },
): Required<Pick<SideEffects, 'entries' | 'event'>> {
  const { payment, outOf = null, channelPurseId = null, microUsdc, signature, settledAt } = paid;
  const data = {
    transfer_id: payment?.id ?? id,
    payment_id: payment?.id ?? id,
    ...(outOf !== null && { purse_id: outOf }),
    account_id: accountId,
    amount_usdc: formatUsdc(microUsdc),
    tx_signature: signature,
    settled_at: settledAt.toISOString(),
    ...referenceMembers(payment ?? UNREFERENCED),
    ...(payment?.reversedAt != null && { resettled: true }),
  };
  const entry = {
    accountId,
    type: 'transfer' as const,
    direction: 'out' as const,
    microUsdc,
    counterparty: payee,
    category,
    signature,
    orderId: outOf === null ? id : null,
    purseId: channelPurseId,
    paymentId: payment?.id ?? null,
    provider: payment?.provider ?? null,
    ...referenceOf(payment ?? UNREFERENCED),
    settledAt,
  };
  return { entries: [entry], event: { operatorId, accountId, type: 'transfer.settled', data } };
}
