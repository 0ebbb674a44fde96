import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { isChecked, textOf, usePage } from '../../ui';

/** The most accounts that are shown beside the chosen ones: the keyboard reaches what follows after these. */
const MAX_SHOWN = 8;

/** Checkboxes for the operator's accounts. An operator of many accounts finds them by their names. */
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
  const [text, setText] = useState('');
  const others = accounts.filter(
    ({ account_id, name }) => !chosen.includes(account_id) && name.toLowerCase().includes(text.trim().toLowerCase()),
  );
  const shown = [...accounts.filter(({ account_id }) => chosen.includes(account_id)), ...others.slice(0, MAX_SHOWN)];
  const hidden = others.length - MAX_SHOWN;
  return (
    <fieldset>
      <legend>{legend}</legend>
      <p class="hint">{accounts.length === 0 ? 'There are no accounts yet.' : hint}</p>
      {accounts.length > MAX_SHOWN && (
        <input
          type="search"
          value={text}
          onInput={(event) => setText(textOf(event))}
          placeholder="A part of the name"
          aria-label={`${legend} by name`}
        />
      )}
      <div class="checks scroll">
        {shown.map(({ account_id, name }) => (
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
      {hidden > 0 && (
        <p class="hint" role="status">
          {hidden} more: type a part of the name.
        </p>
      )}
    </fieldset>
  );
}
