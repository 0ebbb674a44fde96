/** The events and ledger entries of sessions. Pure. */
import type { SessionOutcome } from '#chain';
import { referenceMembers, referenceOf } from '../../lists/references';
import { formatUsdc } from '../../money/usdc';
import type { SideEffects } from '../../orders';
import type { Session } from '../session.entity';

/** The event of a session that is open. */
export function openedEvent(session: Session, signature: string | null, expiresAt: Date): SideEffects['event'] {
  const data = {
    ...factsOf(session),
    cap_usdc: formatUsdc(session.capMicroUsdc),
    provider: session.provider,
    payee: session.payee,
    tx_signature: signature,
    expires_at: expiresAt.toISOString(),
    ...referenceMembers(session),
    ...(session.reversedAt !== null && { resettled: true }),
  };
  return { ...ownerOf(session), type: 'session.opened', data };
}

/** The event of an opening or an end that the finalized chain does not have. */
export function reversedEvent(session: Session, signature: string | null): SideEffects['event'] {
  const data = {
    ...factsOf(session),
    cap_usdc: formatUsdc(session.capMicroUsdc),
    tx_signature: signature ?? '',
    ...referenceMembers(session),
  };
  return { ...ownerOf(session), type: 'session.reversed', data };
}

/** The event and the ledger entry of a session that has ended. */
export function endRecords(
  session: Session,
  { signature, settled, returned }: SessionOutcome,
  closedAt: Date,
): Pick<SideEffects, 'event' | 'entries'> {
  const data = {
    ...factsOf(session),
    cap_usdc: formatUsdc(settled + returned),
    settled_usdc: formatUsdc(settled),
    returned_usdc: formatUsdc(returned),
    tx_signature: signature,
    settled_at: closedAt.toISOString(),
    ...referenceMembers(session),
    ...(session.reversedAt !== null && { resettled: true }),
  };
  const { id: sessionId, accountId, payee: counterparty, category, provider } = session;
  const entry = { accountId, type: 'session_settlement' as const, direction: 'out' as const, microUsdc: settled, counterparty, category };
  return {
    event: { ...ownerOf(session), type: 'session.settled', data },
    entries: [{ ...entry, signature, sessionId, provider, ...referenceOf(session), settledAt: closedAt }],
  };
}

function ownerOf({ operatorId, accountId }: Session) {
  return { operatorId, accountId };
}

function factsOf({ id, accountId }: Session) {
  return { session_id: id, account_id: accountId };
}
