/** Notices, problems, and what is shown while data is loading or missing. */
import type { ComponentChildren, JSX } from 'preact';
import type { Problem } from '../api';

type Children = { children: ComponentChildren };

/** The message and details of a problem. */
export function ProblemNotice({ problem }: { problem: Problem | undefined }): JSX.Element | null {
  if (!problem) return null;
  return (
    <div class="notice bad" role="alert">
      <p>{problem.message}</p>
      {problem.details.length > 0 && (
        <ul>
          {problem.details.map(({ field, message }) => (
            <li key={field}>
              <code>{field}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** A notice. */
export function Notice({ tone = '', children }: { tone?: 'good' | 'bad' | '' } & Children): JSX.Element {
  return (
    <div class={`notice ${tone}`} role="status">
      {children}
    </div>
  );
}

/** Bars in the place of what is loading. */
function Loading(): JSX.Element {
  return (
    <div class="loading" role="status">
      <span class="unseen">Loading …</span>
      <span class="skeleton" />
      <span class="skeleton" />
      <span class="skeleton" />
    </div>
  );
}

/** Shows that data is loading or why it could not be loaded, else `children(data)`. */
export function Loaded<T>({
  data,
  problem,
  children,
}: {
  data: T | undefined;
  problem: Problem | undefined;
  children: (data: T) => ComponentChildren;
}): JSX.Element {
  return (
    <>
      <ProblemNotice problem={problem} />
      {data === undefined ? problem ? null : <Loading /> : children(data)}
    </>
  );
}

export function Empty({ children }: Children): JSX.Element {
  return <p class="empty">{children}</p>;
}
