/** Shared steps of the orders of both kinds of purses. Pure. */
import {
  type ApprovedCharge,
  ChainOutcomeUnknownError,
  ChainRefusedError,
  ChainUnavailableError,
  type ChargeOrder,
  type LandedOrder,
  type Signer,
} from '#chain';
import { type Account, addressesOf } from '../../accounts';
import { referenceOf, UNREFERENCED } from '../../lists/references';
import type { FoundOrder, Landed, Order, SideEffects } from '../../orders';
import { Purse, type PurseKind } from '../purse.entity';
import { MAX_CHANNEL_PURSE_SECONDS, usualSeconds } from '../purses.dto';

/** The seconds of a lost purse if no node has the time of its opening. */
const LOST_SECONDS: Record<PurseKind, number> = { allowance: usualSeconds('allowance'), channel: MAX_CHANNEL_PURSE_SECONDS };

/** The arguments that the openings of both kinds have. */
export function openingOf(
  { microUsdc, category, expiresInSeconds }: Purse,
  account: Account,
  approver: Signer | null,
): Omit<ChargeOrder, 'chargeId' | 'delegate'> {
  const authority = account.authorityKey;
  return { ...addressesOf(account), microUsdc, category, expiresInSeconds, authority, approvedBy: approver?.address ?? null };
}

/** The facts that the chain shows of a purse that has no row. The seconds that were asked for are those from its block to its deadline. */
export function lostPurse(
  { id, operatorId, accountId, category, microUsdc, delegateKey, createdAt }: Order,
  { signature: openSignature, landedAt }: Landed,
  { deadline }: ApprovedCharge,
  kind: PurseKind,
): Purse {
  const seconds = landedAt ? Math.round((deadline.getTime() - landedAt.getTime()) / 1000) : LOST_SECONDS[kind];
  return Object.assign(new Purse(), {
    kind,
    sweptMicroUsdc: 0n,
    recordedMicroUsdc: 0n,
    id,
    operatorId,
    accountId,
    category,
    microUsdc,
    delegateKey: delegateKey ?? '',
    expiresInSeconds: Math.max(1, seconds),
    openSignature,
    ...UNREFERENCED,
    createdAt,
  });
}

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

/** The end of a purse that has no row: it is tried again if the chain refuses it now. @throws ChainUnavailableError */
export async function endedBeforeItsRow<T>(ending: Promise<T>): Promise<T> {
  try {
    return await ending;
  } catch (error) {
    if (error instanceof ChainRefusedError || error instanceof ChainOutcomeUnknownError)
      throw new ChainUnavailableError('a purse without a row has not ended yet', { cause: error });
    throw error;
  }
}
