import type { JSX } from 'preact';
import { Field, textOf } from '../../ui';

interface ListProps {
  legend: string;
  any: string;
  only: string;
  isAny: boolean;
  onAny: (isAny: boolean) => void;
  label: string;
  value: string;
  problem: string | undefined;
  onInput: (value: string) => void;
}

/** A choice between everything and a list, one entry a line. */
export function ListField({ legend, any, only, isAny, onAny, label, value, problem, onInput }: ListProps): JSX.Element {
  return (
    <fieldset>
      <legend>{legend}</legend>
      <label class="inline">
        <input type="radio" name={legend} checked={isAny} onChange={() => onAny(true)} /> {any}
      </label>
      <label class="inline">
        <input type="radio" name={legend} checked={!isAny} onChange={() => onAny(false)} /> {only}
      </label>
      {!isAny && (
        <Field label={label} hint="Empty: none at all." problem={problem}>
          {(props) => <textarea {...props} rows={4} value={value} onInput={(event) => onInput(textOf(event))} spellcheck={false} />}
        </Field>
      )}
    </fieldset>
  );
}

/** The entries of a text, each once. */
export function linesOf(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((line) => line !== ''))];
}
