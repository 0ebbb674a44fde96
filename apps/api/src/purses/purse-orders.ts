/** What the orders of both kinds of purses do alike. Pure. */
import { ChainOutcomeUnknownError, ChainRefusedError, ChainUnavailableError, type LandedOrder } from '#chain';
import type { Account } from '../accounts';
import { referenceOf } from '../lists/references';
import type { FoundOrder, Order, SideEffects } from '../orders';

/** The order of a purse that the database has lost, found on chain. */
export function foundPurse(
  kind: 'purse' | 'channel_purse',
  { microUsdc, category }: LandedOrder,
  { operatorId, id: accountId }: Account,
  delegateKey: string,
): FoundOrder {
  return { order: (id) => ({ id, kind, operatorId, accountId, requestHash: Buffer.alloc(0), delegateKey, microUsdc, category }) };
}

/** The record of an opening that was declined. */
export function rejectionOf(order: Order, reason: string): SideEffects {
  const { id, accountId, microUsdc, category } = order;
  const entry = { accountId, direction: 'out' as const, microUsdc, counterparty: null, category, orderId: id };
  return { entries: [{ ...entry, ...referenceOf(order), type: 'rejection', rejectionReason: reason }] };
}

/** The end of a purse that has no row: it is tried again where the chain refuses it now. @throws ChainUnavailableError */
export async function endedBeforeItsRow<T>(ending: Promise<T>): Promise<T> {
  try {
    return await ending;
  } catch (error) {
    if (error instanceof ChainRefusedError || error instanceof ChainOutcomeUnknownError)
      throw new ChainUnavailableError('a purse without a row has not ended yet', { cause: error });
    throw error;
  }
}
