/** List of events, oldest first. */
import type { ComponentChildren, JSX } from 'preact';
import { Time } from './times';

/** A step: when it happened, or will; and by whom. */
export interface Step {
  what: ComponentChildren;
  at: string;
  by?: ComponentChildren;
  tone?: 'good' | 'bad' | 'wait';
}

export function TimeLine({ steps }: { steps: (Step | false | null | undefined)[] }): JSX.Element {
  return (
    <ol class="time-line" aria-label="Time line">
      {steps
        .filter((step): step is Step => Boolean(step))
        .map(({ what, at, by, tone }) => (
          <li key={`${String(what)} ${at}`} class={tone}>
            <strong>{what}</strong>{' '}
            <span class="muted">
              <Time at={at} />
              {by && <> by {by}</>}
            </span>
          </li>
        ))}
    </ol>
  );
}
