import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Problem, call, post } from '../api';
import { changed } from '../live';
import type { SignatureRequired } from '../types';
import { Action, Code, Copy, Field, Form, textOf, usePage } from '../ui';
import { useWallets } from './hooks';
import { type Reading, readingOf } from './reading';
import { isSignatureRequired, type Outcome } from './requests';
import { timeLeft } from './transactions';
import { signWith, type SigningWallet } from './wallets';

const TICK_MS = 1_000;

interface SignRequestProps {
  request: SignatureRequired;
  /** The key that must sign. */
  chainKey: string;
  /** Whether another request was shown in its place before. */
  isNext: boolean;
  onDone: (outcome: Outcome) => void;
  /** Leaves the request unsigned. */
  onSkip: () => void;
  skip: string;
}

/** What must be signed, by which key, and the ways to sign it: a wallet of the browser, or anything that signs a copy. */
export function SignRequest({ request, chainKey, isNext, onDone, onSkip, skip }: SignRequestProps): JSX.Element {
  const [current, setCurrent] = useState(request);
  const [signatures, setSignatures] = useState(0);
  const [draft, setDraft] = useState('');
  const left = useTimeLeft(current.expires_at);
  const wallets = useWallets();
  const { program_id: programId } = usePage().signedIn;
  const reading = useMemo(() => readingOf(current.transaction, chainKey, programId), [current.transaction, chainKey, programId]);
  const isShown = useRef(true);
  useEffect(() => () => void (isShown.current = false), []);
  const heading = useFocus(isNext || signatures > 0, signatures);
  const path = `/v1/signature_requests/${current.signature_request_id}`;

  const show = (next: SignatureRequired): void => {
    setCurrent(next);
    setDraft('');
  };
  /** Makes the transaction again. Returns undefined where nothing is to be signed any more. */
  const renew = async (): Promise<SignatureRequired | undefined> => {
    const answer = await untilFinal(() => post<object>(`${path}/renew`), onDone);
    if (isSignatureRequired(answer)) {
      show(answer);
      return answer;
    }
    if (answer !== undefined) onDone({ answer });
    return undefined;
  };
  const submit = async (transaction: string): Promise<void> => {
    const answer = await untilFinal(() => call<object>('POST', path, { transaction }), onDone);
    // The dialog was closed meanwhile, and the action knows nothing of it.
    if (!isShown.current) return changed();
    if (isSignatureRequired(answer)) {
      show(answer);
      setSignatures((before) => before + 1);
    } else if (answer !== undefined) onDone({ answer });
  };
  const signByWallet = async (wallet: SigningWallet): Promise<void> => {
    const live = left === null ? await renew() : current;
    if (!live) return;
    const renewed = readingOf(live.transaction, chainKey, programId);
    if (renewed.problem || renewed.sentences.join() !== reading.sentences.join())
      throw new Problem('The renewed transaction does something else. Read it again before you sign.', 0, 'changed');
    const transaction = await signWith(wallet, chainKey, live.transaction);
    // The dialog may have been closed while the wallet was open.
    if (isShown.current) await submit(transaction);
  };

  return (
    <div class="sign-request">
      <div>
        <p role="status">{signatures > 0 && `${signatures} signed, another is needed.`}</p>
        <h3 ref={heading} tabIndex={-1}>
          What you sign
        </h3>
        <ul>
          {current.summary.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </div>
      <FromBytes reading={reading} />
      <div>
        <h3>By your chain key</h3>
        <p>
          <Code text={chainKey} whole />
        </p>
      </div>
      <div class="expiry">
        <p role="timer">{left === null ? <span class="bad-text">The transaction has expired.</span> : `It expires in ${left}.`}</p>
        <Action run={renew} class="quiet">
          Renew
        </Action>
      </div>
      {!reading.problem && wallets.length > 0 && (
        <div class="actions">
          {wallets.map((wallet) => (
            <Action key={wallet.name} run={() => signByWallet(wallet)} class="primary">
              Sign with {wallet.name}
            </Action>
          ))}
        </div>
      )}
      {reading.problem ? (
        <div class="actions">
          <button type="button" onClick={onSkip}>
            {skip}
          </button>
        </div>
      ) : (
        <Form send={() => submit(draft.replace(/\s+/g, ''))} submit="Submit" onCancel={onSkip} cancel={skip} disabled={draft.trim() === ''}>
          <Field label="Transaction to sign, in base64">
            {(props) => (
              <>
                <textarea
                  {...props}
                  rows={3}
                  readOnly
                  value={current.transaction}
                  onFocus={({ currentTarget }) => currentTarget.select()}
                />
                <div>
                  <Copy text={current.transaction} what="the transaction" />
                </div>
              </>
            )}
          </Field>
          <Field
            label="Signed transaction, in base64"
            hint={
              wallets.length > 0
                ? 'For a transaction that you signed elsewhere.'
                : 'This browser has no wallet that can sign: sign the transaction elsewhere.'
            }
          >
            {(props) => <textarea {...props} rows={3} value={draft} onInput={(event) => setDraft(textOf(event))} spellcheck={false} />}
          </Field>
        </Form>
      )}
    </div>
  );
}

/** What the service cannot say otherwise than it is. */
function FromBytes({ reading: { sentences, problem, otherProgram } }: { reading: Reading }): JSX.Element {
  return (
    <div>
      <h3>What the transaction does, read from its bytes</h3>
      {sentences.length > 0 && (
        <ul aria-label="What the transaction does">
          {sentences.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      {otherProgram && <p>The service runs the program {otherProgram}, which is not the one of this release.</p>}
      {problem && (
        <p role="alert" class="bad-text">
          Do not sign this. {problem}
        </p>
      )}
    </div>
  );
}

/** Statuses after which the request can still be signed: it was the wrong transaction, an expired one, or the service is busy. */
function canRetry({ status }: Problem): boolean {
  return status === 0 || status === 400 || status === 401 || status === 409 || status === 429 || status >= 500;
}

/** The answer of a call. An error of the action itself, such as a limit that declines by now, is its outcome: it cannot be signed any more. */
async function untilFinal(send: () => Promise<object>, onDone: (outcome: Outcome) => void): Promise<object | undefined> {
  try {
    return await send();
  } catch (problem) {
    if (!(problem instanceof Problem) || canRetry(problem)) throw problem;
    onDone({ problem });
    return undefined;
  }
}

/** What is left until a moment, every second; null from then on. */
function useTimeLeft(until: string): string | null {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    setNow(Date.now());
    const timer = window.setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [until]);
  return timeLeft(until, now);
}

/** Moves the focus to a heading when what it is about was replaced: the button that had it is gone. */
function useFocus(wanted: boolean, change: number) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (wanted) heading.current?.focus();
  }, [wanted, change]);
  return heading;
}
