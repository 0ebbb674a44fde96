/** Notices, problems, and what is shown while data is loading or missing. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from '../data/api';
import { Time } from './times';

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

/** After so long a list says that it still waits. */
const STILL_AFTER_MS = 5_000;
/** A load that failed is repeated after so long, then after twice as long each time, up to the maximum. */
const FIRST_RETRY_MS = 2_000;
const MAX_RETRY_MS = 60_000;
const TOO_MANY_REQUESTS = 429;

/** Bars in the place of what is loading. */
function Loading(): JSX.Element {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), STILL_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="loading" role="status">
      <span class={isSlow ? undefined : 'unseen'}>{isSlow ? 'Still waiting for the service …' : 'Loading …'}</span>
      <span class="skeleton" />
      <span class="skeleton" />
      <span class="skeleton" />
    </div>
  );
}

/** Whether a request that failed so may succeed later. */
function passes({ status }: Problem): boolean {
  return status === 0 || status === TOO_MANY_REQUESTS || status >= 500;
}

/** Why data could not be loaded, and since when. It is loaded again, each time after twice as long, or at once by the button. */
function Failed({ problem, reload }: { problem: Problem; reload: () => Promise<void> }): JSX.Element {
  const since = useRef(new Date().toISOString());
  const attempts = useRef(0);
  useEffect(() => {
    if (!passes(problem)) return;
    const timer = setTimeout(() => void reload(), Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** attempts.current++));
    return () => clearTimeout(timer);
  }, [problem]);
  if (!passes(problem)) return <ProblemNotice problem={problem} />;
  return (
    <div class="notice bad" role="alert">
      <p>
        {problem.message} Not loaded since <Time at={since.current} />; it is tried again by itself.
      </p>
      <button type="button" onClick={() => void reload()}>
        Try again
      </button>
    </div>
  );
}

/** Shows that data is loading or why it could not be loaded, else `children(data)`. */
export function Loaded<T>({
  data,
  problem,
  reload,
  children,
}: {
  data: T | undefined;
  problem: Problem | undefined;
  reload: () => Promise<void>;
  children: (data: T) => ComponentChildren;
}): JSX.Element {
  return (
    <>
      {problem && <Failed problem={problem} reload={reload} />}
      {data === undefined ? problem ? null : <Loading /> : children(data)}
    </>
  );
}

export function Empty({ children }: Children): JSX.Element {
  return <p class="empty">{children}</p>;
}
