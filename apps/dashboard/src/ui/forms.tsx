/** Forms, fields and buttons. */
import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Problem } from '../data/api';
import { ProblemNotice } from './notices';

type Children = { children: ComponentChildren };

/**
 * A button that is disabled while work runs loses the focus. Gives it back after the work, unless the focus is elsewhere by then. Returns the
 * reference for the button.
 */
function useFocusAfter(busy: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  const wasBusy = useRef(false);
  useEffect(() => {
    if (wasBusy.current && !busy && document.activeElement === document.body) button.current?.focus({ preventScroll: true });
    wasBusy.current = busy;
  }, [busy]);
  return button;
}

/** A button that is disabled while its work runs, and shows why it failed. */
export function Action({
  run,
  children,
  class: className,
  disabled = false,
  label,
}: { run: () => Promise<unknown>; class?: string; disabled?: boolean; label?: string } & Children): JSX.Element {
  const [state, setState] = useState<{ busy: boolean; problem?: Problem }>({ busy: false });
  const button = useFocusAfter(state.busy);
  const click = async (): Promise<void> => {
    setState({ busy: true });
    setState({ busy: false, problem: await problemOf(run) });
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class={className}
        disabled={disabled || state.busy}
        aria-busy={state.busy}
        aria-label={label}
        onClick={() => void click()}
      >
        {children}
      </button>
      <ProblemNotice problem={state.problem} />
    </>
  );
}

async function problemOf(run: () => Promise<unknown>): Promise<Problem | undefined> {
  try {
    await run();
    return undefined;
  } catch (problem) {
    return problem instanceof Problem ? problem : new Problem(String(problem), 0, 'page');
  }
}

/** A form that is disabled while it is submitted, and shows why that failed. Without `onCancel` it has no Cancel button. */
export function Form({
  send,
  submit,
  children,
  onCancel,
  cancel = 'Cancel',
  danger = false,
  disabled = false,
}: {
  send: () => Promise<unknown>;
  submit: string;
  onCancel?: () => void;
  cancel?: string;
  danger?: boolean;
  disabled?: boolean;
} & Children): JSX.Element {
  const [state, setState] = useState<{ busy: boolean; problem?: Problem }>({ busy: false });
  const button = useFocusAfter(state.busy);
  const shown = useRef(true);
  useEffect(() => () => void (shown.current = false), []);
  const work = async (event: Event): Promise<void> => {
    event.preventDefault();
    setState({ busy: true });
    const problem = await problemOf(send);
    if (shown.current) setState({ busy: false, problem });
  };
  return (
    <form onSubmit={(event) => void work(event)}>
      {children}
      <ProblemNotice problem={state.problem} />
      <div class="actions">
        <button ref={button} type="submit" class={danger ? 'danger' : 'primary'} disabled={disabled || state.busy} aria-busy={state.busy}>
          {state.busy ? 'One moment …' : submit}
        </button>
        {onCancel && (
          <button type="button" onClick={onCancel}>
            {cancel}
          </button>
        )}
      </div>
    </form>
  );
}

/** A label, its field, and a hint. */
export function Field({
  label,
  hint,
  problem,
  children,
}: {
  label: string;
  hint?: string;
  problem?: string | undefined;
  children: (props: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: boolean }) => JSX.Element;
}): JSX.Element {
  const id = useId();
  const described = hint !== undefined || problem !== undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, ...(described && { 'aria-describedby': `${id}-hint` }), ...(problem !== undefined && { 'aria-invalid': true }) })}
      {described && (
        <p id={`${id}-hint`} class={problem === undefined ? 'hint' : 'hint bad'}>
          {problem ?? hint}
        </p>
      )}
    </div>
  );
}

export const textOf = (event: Event): string => (event.target as HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement).value;
export const isChecked = (event: Event): boolean => (event.target as HTMLInputElement).checked;

/** A select field. */
export function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: [string, string][];
  onChange: (value: string) => void;
}): JSX.Element {
  const id = useId();
  return (
    <div class="choice">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(textOf(event))}>
        {options.map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </div>
  );
}

interface SwitchProps<Value> {
  label: string;
  options: [Value, string][];
  value: Value;
  onChange: (value: Value) => void;
}

/** Buttons of which one is pressed. */
export function Switch<Value extends string | number>({ label, options, value, onChange }: SwitchProps<Value>): JSX.Element {
  return (
    <div class="switch" role="group" aria-label={label}>
      {options.map(([each, title]) => (
        <button key={each} type="button" aria-pressed={each === value} onClick={() => onChange(each)}>
          {title}
        </button>
      ))}
    </div>
  );
}

/**
 * A field for the operator key, which the service asks for again if the session alone is not enough. Returns the header of the call,
 * and the field; neither if it is not needed. The key is kept in the field alone.
 */
export function useOperatorKey(isNeeded = true): [() => Record<string, string>, JSX.Element | null] {
  const input = useRef<HTMLInputElement>(null);
  if (!isNeeded) return [() => ({}), null];
  const field = (
    <Field label="Operator key" hint="Once more, because this cannot be undone, or gives others your rights.">
      {(props) => <input {...props} ref={input} type="password" required autoComplete="off" spellcheck={false} maxLength={200} />}
    </Field>
  );
  return [() => ({ 'X-Operator-Key': input.current?.value.trim() ?? '' }), field];
}
