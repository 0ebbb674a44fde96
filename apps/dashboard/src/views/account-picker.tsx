import type { JSX } from 'preact';
import { isChecked, usePage } from '../ui';

/** Checkboxes for the operator's accounts. */
export function AccountPicker({
  legend,
  hint,
  chosen,
  onChange,
}: {
  legend: string;
  hint: string;
  chosen: string[];
  onChange: (ids: string[]) => void;
}): JSX.Element {
  const { accounts } = usePage();
  return (
    <fieldset>
      <legend>{legend}</legend>
      <p class="hint">{accounts.length === 0 ? 'There are no accounts yet.' : hint}</p>
      <div class="checks scroll">
        {accounts.map(({ account_id, name }) => (
          <label key={account_id} class="inline" title={account_id}>
            <input
              type="checkbox"
              checked={chosen.includes(account_id)}
              onChange={(event) => onChange(isChecked(event) ? [...chosen, account_id] : chosen.filter((id) => id !== account_id))}
            />
            <span>
              {name} <span class="muted">…{account_id.slice(-5)}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
