/** The events and ledger entries of purses. Pure. */
import type { FinishedCharge } from '#chain';
import type { NewLedgerEntry } from '../../ledger';
import { referenceMembers, referenceOf } from '../../lists/references';
import { formatUsdc } from '../../money/usdc';
import type { SideEffects } from '../../orders';
import type { Purse } from '../purse.entity';

type PurseEvent = NonNullable<SideEffects['event']>;

/** The end of a purse. */
export interface PurseEnd {
  finished: Pick<FinishedCharge, 'slot'> & { signature: string | null };
  /** The amount that its delegate moved, in micro-USDC. */
  spent: bigint;
  /** Movements that no payment explains; without a signature if no node has their transactions any more. */
  unexplained: { signature: string | null; microUsdc: bigint }[];
}

/** The event of a purse that is open. */
export function openedEvent(purse: Purse, signature: string | null, deadline: Date): PurseEvent {
  const data = {
    ...factsOf(purse),
    category: purse.category,
    host: purse.host,
    tx_signature: signature,
    expires_at: deadline.toISOString(),
    ...referenceMembers(purse),
    ...(purse.reversedAt !== null && { resettled: true }),
  };
  return { ...ownerOf(purse), type: 'purse.opened', data };
}

/** The event of an opening or an end that the finalized chain does not have. */
export function reversedEvent(purse: Purse, signature: string | null): PurseEvent {
  const data = { ...factsOf(purse), tx_signature: signature ?? '', ...referenceMembers(purse) };
  return { ...ownerOf(purse), type: 'purse.reversed', data };
}

/** The event of a purse that ended. `spent` is in micro-USDC. */
export function closedEvent(purse: Purse, signature: string | null, spent: bigint): PurseEvent {
  const data = {
    ...factsOf(purse),
    spent_usdc: formatUsdc(spent),
    returned_usdc: formatUsdc(purse.microUsdc - spent),
    tx_signature: signature,
    ...referenceMembers(purse),
    ...(purse.reversedAt && { resettled: true }),
  };
  return { ...ownerOf(purse), type: 'purse.closed', data };
}

/** The event of an amount, in micro-USDC, that came home after a purse was closed. */
export function refundedEvent(purse: Purse, signature: string | null, microUsdc: bigint): PurseEvent {
  const data = { ...factsOf(purse), amount_usdc: formatUsdc(microUsdc), tx_signature: signature, ...referenceMembers(purse) };
  return { ...ownerOf(purse), type: 'purse.refunded', data };
}

/** The event of an end, and the ledger entries of the movements that no payment explains. */
export function endRecords(
  purse: Purse,
  { finished, spent, unexplained }: PurseEnd,
  settledAt: Date,
): Pick<SideEffects, 'event' | 'entries'> {
  const entries = unexplained.map(({ signature, microUsdc }) => unexplainedEntry(purse, microUsdc, { signature, settledAt }));
  return { event: closedEvent(purse, finished.signature, spent), entries };
}

/** The ledger entry of an amount, in micro-USDC, that left a purse without a payment of ours; below zero what others sent to its key. */
export function unexplainedEntry(
  purse: Purse,
  microUsdc: bigint,
  { signature, settledAt }: { signature: string | null; settledAt: Date },
): NewLedgerEntry {
  const isOut = microUsdc > 0n;
  return {
    accountId: purse.accountId,
    type: isOut ? 'transfer' : 'deposit',
    direction: isOut ? 'out' : 'in',
    microUsdc: isOut ? microUsdc : -microUsdc,
    counterparty: null,
    category: isOut ? purse.category : null,
    signature,
    ...(isOut && referenceOf(purse)),
    settledAt,
  };
}

function ownerOf({ operatorId, accountId }: Purse) {
  return { operatorId, accountId };
}

function factsOf({ id, accountId, microUsdc }: Purse) {
  return { purse_id: id, account_id: accountId, amount_usdc: formatUsdc(microUsdc) };
}
