/** Data of events for specs. Not part of the build. */
import type { TransferRejectedData, TransferSettledData } from './event-data';

/** Data that fits `transfer.settled` and `transfer.rejected`. */
export function aTransferData(accountId: string, note = 'denied'): TransferSettledData & TransferRejectedData {
  return {
    transfer_id: 'tr_1',
    account_id: accountId,
    amount_usdc: '1.000000',
    tx_signature: 'signature',
    settled_at: '2026-03-01T00:00:00.000Z',
    rejection_reason: note,
  };
}
