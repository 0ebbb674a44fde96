/** The question before many accounts are paused or resumed. */
export type Action = 'pause' | 'resume';

/** The question, with both numbers if a filter is set: of the accounts that are shown, and of all. */
export function questionOf(action: Action, isAll: boolean, shown: { ids: { length: number }; total: number } | undefined): string {
  const verb = action === 'pause' ? 'Pause' : 'Resume';
  if (!shown) return `${verb} all accounts?`;
  const count = shown.ids.length.toLocaleString();
  return isAll
    ? `${verb} ${accounts(shown.total)} (all, not only the ${count} shown)?`
    : `${verb} ${accounts(shown.ids.length)} (only those shown, not all ${shown.total.toLocaleString()})?`;
}

function accounts(count: number): string {
  return count === 1 ? '1 account' : `${count.toLocaleString()} accounts`;
}
