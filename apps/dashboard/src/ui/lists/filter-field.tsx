/** The field of one filter. */
import type { JSX } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { SPANS, type Filter } from '../../filters';
import { Choice, textOf } from '../forms';
import { usePage } from '../page';

/** How long a text rests before it is the filter. */
const DEBOUNCE_MS = 250;

interface FilterFieldProps<Of = Filter> {
  filter: Of;
  value: string;
  onChange: (value: string) => void;
  /** Enter, or a choice, closes the field. */
  onDone: () => void;
}

type TextProps = FilterFieldProps<Extract<Filter, { kind: 'text' }>>;
type TimeProps = FilterFieldProps<Extract<Filter, { kind: 'time' }>>;

/** The field, which takes the focus. */
export function FilterField({ filter, ...rest }: FilterFieldProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const { accounts } = usePage();
  // Before the next key, which would otherwise go to the menu that was here.
  useLayoutEffect(() => box.current?.querySelector<HTMLElement>('input, select')?.focus(), []);
  return <div ref={box}>{fieldOf()}</div>;

  function fieldOf(): JSX.Element {
    if (filter.kind === 'text') return <TextField filter={filter} {...rest} />;
    if (filter.kind === 'time') return <TimeField filter={filter} {...rest} />;
    const options =
      filter.kind === 'choice'
        ? filter.options
        : accounts.map(({ account_id, name }): [string, string] => [account_id, `${name} · …${account_id.slice(-5)}`]);
    return <Choice label={filter.label} value={rest.value} options={[['', 'All'], ...options]} onChange={rest.onChange} />;
  }
}

function TextField({ filter, value, onChange, onDone }: TextProps): JSX.Element {
  const id = useId();
  const [draft, setDraft] = useState(value);
  // The row renders again meanwhile: what is typed stays.
  const sent = useRef(value);
  useEffect(() => {
    const wanted = draft.trim();
    if (wanted === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = wanted;
      onChange(wanted);
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [draft]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter') return;
    // The text of the field: the draft may not have the last letters yet.
    onChange(textOf(event).trim());
    onDone();
  };
  return (
    <div class="choice">
      <label for={id}>{filter.label}</label>
      <input
        id={id}
        type="text"
        value={draft}
        maxLength={128}
        placeholder={filter.placeholder ?? ''}
        inputMode={filter.isAmount ? 'decimal' : 'text'}
        onInput={(event) => setDraft(textOf(event))}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}

function TimeField({ filter, value, onChange, onDone }: TimeProps): JSX.Element {
  const id = useId();
  const isSpan = SPANS.some(([span]) => span === value);
  const shown = isSpan ? '' : value.length === 'yyyy-mm-dd'.length ? `${value}T00:00` : value;
  const choose = (span: string): void => {
    onChange(span);
    onDone();
  };
  return (
    <>
      <ul class="menu">
        {SPANS.map(([span, title]) => (
          <li key={span}>
            <button type="button" aria-pressed={span === value} onClick={() => choose(span)}>
              {title}
            </button>
          </li>
        ))}
      </ul>
      <div class="choice">
        <label for={id}>{filter.label}</label>
        <input id={id} type="datetime-local" value={shown} onChange={(event) => onChange(textOf(event))} />
      </div>
    </>
  );
}
