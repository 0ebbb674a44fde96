import { referenceMembers, referenceOf } from '../../../lists/references';
import type { NewLedgerEntry } from '../../../ledger';
import { formatUsdc } from '../../../money/usdc';
import type { SideEffects } from '../../../orders';
import type { Payment } from '../../payment.entity';

/** The event and the record of a payment out of an open purse, of either kind. */
export function paidOutOf(
  purseId: string,
  { id, operatorId, accountId, payee, category, provider, ...payment }: Payment,
  { microUsdc, signature, settledAt }: { microUsdc: bigint; signature: string | null; settledAt: Date },
): { event: NonNullable<SideEffects['event']>; entry: NewLedgerEntry } {
  const data = {
    transfer_id: id,
    payment_id: id,
    purse_id: purseId,
    account_id: accountId,
    amount_usdc: formatUsdc(microUsdc),
    tx_signature: signature,
    settled_at: settledAt.toISOString(),
    ...referenceMembers(payment),
    ...(payment.reversedAt !== null && { resettled: true }),
  };
  const entry = {
    accountId,
    type: 'transfer' as const,
    direction: 'out' as const,
    microUsdc,
    counterparty: payee,
    category,
    signature,
    paymentId: id,
    provider,
    ...referenceOf(payment),
    settledAt,
  };
  return { event: { operatorId, accountId, type: 'transfer.settled', data }, entry };
}
