/** The keys of a table whose rows wait for a decision. They press the buttons of the row that has the focus, or of all that are selected. */

/** The next row, the previous one, and what is pressed in a row. */
const STEPS: Record<string, number> = { j: 1, k: -1 };
const PRESSED: Record<string, string> = { a: 'button[data-key="a"]', d: 'button[data-key="d"]', x: 'input[type="checkbox"]' };

/** Follows the keys for the table with this label. Returns a function that stops it. */
export function followRowKeys(label: string): () => void {
  const onKey = (event: KeyboardEvent): void => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    const isTyping = target instanceof Element && target.closest('input:not([type="checkbox"]), textarea, select, dialog') !== null;
    if (ctrlKey || metaKey || altKey || isTyping) return;
    const rows = [...document.querySelectorAll<HTMLElement>(`table[aria-label="${label}"] tbody tr`)];
    const current = rows.findIndex((row) => row.contains(document.activeElement));
    const step = STEPS[key];
    if (step !== undefined) {
      const next = rows[Math.min(rows.length - 1, Math.max(0, current + step))];
      next?.querySelector<HTMLElement>('.row-link')?.focus();
      next?.scrollIntoView({ block: 'nearest' });
    } else if (key in PRESSED) pressed(key, rows[current])?.click();
    else return;
    event.preventDefault();
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}

/** The button for all that are selected, if some are; else that of the row. */
function pressed(key: string, row: HTMLElement | undefined): HTMLElement | null | undefined {
  const selector = PRESSED[key] ?? '';
  return document.querySelector<HTMLElement>(`.selection ${selector}:not(:disabled)`) ?? row?.querySelector<HTMLElement>(selector);
}
