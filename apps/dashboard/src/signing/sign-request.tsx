import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SignatureRequired } from '../data/types';
import { Action, Code, Copy, Field, Form, textOf } from '../ui';
import { useWallets } from './hooks';
import type { Reading } from './reading/reading';
import type { Outcome } from './requests';
import { useSignatureRequest } from './use-signature-request';

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

/** The transaction to sign, its key, and the ways to sign it: a wallet of the browser, or anything that signs a copy. */
export function SignRequest({ request, chainKey, isNext, onDone, onSkip, skip }: SignRequestProps): JSX.Element {
  const { current, signatures, reading, left, renew, submit, signByWallet } = useSignatureRequest(request, chainKey, onDone);
  const wallets = useWallets();
  const heading = useFocus(isNext || signatures > 0, signatures);
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
        <SignElsewhere
          key={current.transaction}
          transaction={current.transaction}
          hasWallet={wallets.length > 0}
          onSigned={submit}
          onSkip={onSkip}
          skip={skip}
        />
      )}
    </div>
  );
}

/** The facts that the service cannot falsify. */
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

interface SignElsewhereProps extends Pick<SignRequestProps, 'onSkip' | 'skip'> {
  transaction: string;
  hasWallet: boolean;
  onSigned: (transaction: string) => Promise<void>;
}

/** A copy of the transaction, and a field for the signed one. */
function SignElsewhere({ transaction, hasWallet, onSigned, onSkip, skip }: SignElsewhereProps): JSX.Element {
  const [draft, setDraft] = useState('');
  const hint = hasWallet
    ? 'For a transaction that you signed elsewhere.'
    : 'This browser has no wallet that can sign: sign the transaction elsewhere.';
  return (
    <Form send={() => onSigned(draft.replace(/\s+/g, ''))} submit="Submit" onCancel={onSkip} cancel={skip} disabled={draft.trim() === ''}>
      <Field label="Transaction to sign, in base64">
        {(props) => (
          <>
            <textarea {...props} rows={3} readOnly value={transaction} onFocus={({ currentTarget }) => currentTarget.select()} />
            <div>
              <Copy text={transaction} what="the transaction" />
            </div>
          </>
        )}
      </Field>
      <Field label="Signed transaction, in base64" hint={hint}>
        {(props) => <textarea {...props} rows={3} value={draft} onInput={(event) => setDraft(textOf(event))} spellcheck={false} />}
      </Field>
    </Form>
  );
}

/** Moves the focus to a heading when what it is about was replaced: the button that had it is gone. */
function useFocus(wanted: boolean, change: number) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (wanted) heading.current?.focus();
  }, [wanted, change]);
  return heading;
}
