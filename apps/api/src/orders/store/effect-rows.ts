import type { OutboxService } from '../../events';
import type { LedgerService } from '../../ledger';
import type { TransitionEffects } from '../../persistence/transition';
import type { SideEffects } from '../order-handlers.service';

/** Side effects as the statement of a transition takes them: the event and the ledger entries as rows. */
export function effectRows(
  { event, entries = [], ...more }: SideEffects,
  { outbox, ledger }: { outbox: OutboxService; ledger: LedgerService },
): TransitionEffects {
  return { ...more, event: event && outbox.row(event), entries: ledger.rows(entries) };
}
