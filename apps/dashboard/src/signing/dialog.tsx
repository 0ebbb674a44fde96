import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { SignatureRequired } from '../data/types';
import { Dialog } from '../ui';
import { useSigning } from './hooks';
import { notSigned, type Outcome, type Signing } from './requests';
import { SignRequest } from './sign-request';

/** How many of the requests that follow are named. */
const MAX_NAMED = 5;

/** The dialog of what the operator is asked to sign. The page has one, and every action uses it. */
export function SigningDialog(): JSX.Element | null {
  const signing = useSigning();
  return signing ? <Requests key={signing.requests[0]?.signature_request_id} signing={signing} /> : null;
}

function Requests({ signing: { chainKey, requests, finish } }: { signing: Signing }): JSX.Element | null {
  const [outcomes, setOutcomes] = useState<Outcome[]>([]);
  const position = outcomes.length;
  const current = requests[position];
  const next = (outcome: Outcome): void => {
    const all = [...outcomes, outcome];
    if (all.length === requests.length) finish(all);
    else setOutcomes(all);
  };
  if (!current) return null;
  const isSeveral = requests.length > 1;
  return (
    <Dialog title="Signature needed" onClose={() => finish(outcomes)}>
      {isSeveral && <p role="status">{progress(requests.length, outcomes)}</p>}
      <SignRequest
        key={current.signature_request_id}
        request={current}
        chainKey={chainKey}
        isNext={position > 0}
        onDone={next}
        onSkip={() => next({ problem: notSigned() })}
        skip={isSeveral ? 'Skip' : 'Cancel'}
      />
      {isSeveral && <Following requests={requests.slice(position + 1)} start={position + 2} onLater={() => finish(outcomes)} />}
    </Dialog>
  );
}

/** Such as `3 of 5: 1 signed, 1 not`. */
function progress(count: number, outcomes: Outcome[]): string {
  const undone = outcomes.filter(({ problem }) => problem).length;
  const before = outcomes.length === 0 ? '' : `: ${outcomes.length - undone} signed${undone > 0 ? `, ${undone} not` : ''}`;
  return `${outcomes.length + 1} of ${count}${before}`;
}

interface FollowingProps {
  requests: SignatureRequired[];
  /** The position of the first of them. */
  start: number;
  onLater: () => void;
}

/** The transactions to be signed after the current request. */
function Following({ requests, start, onLater }: FollowingProps): JSX.Element {
  return (
    <div>
      {requests.length > 0 && (
        <>
          <h3>After this</h3>
          <ol class="following" start={start} aria-label="After this">
            {requests.slice(0, MAX_NAMED).map(({ signature_request_id, summary }) => (
              <li key={signature_request_id}>{summary[0]}</li>
            ))}
            {requests.length > MAX_NAMED && <li>and {requests.length - MAX_NAMED} more</li>}
          </ol>
        </>
      )}
      <div class="actions">
        <button type="button" onClick={onLater}>
          Sign the rest later
        </button>
      </div>
    </div>
  );
}
