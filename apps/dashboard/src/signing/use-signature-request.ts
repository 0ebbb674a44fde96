/** The steps of signing one request: signed by a wallet or elsewhere, submitted, renewed, until the service needs no signature more. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Problem, call, post } from '../data/api';
import { changed } from '../data/live';
import type { SignatureRequired } from '../data/types';
import { usePage } from '../ui';
import { type Reading, readingOf } from './reading/reading';
import { isSignatureRequired, type Outcome } from './requests';
import { timeLeft } from './reading/transactions';
import { signWith, type SigningWallet } from './wallets';

const TICK_MS = 1_000;

/** A request's state and steps. */
export interface RequestSteps {
  /** The transaction to be signed now. */
  current: SignatureRequired;
  /** How many were signed before it, for the same action. */
  signatures: number;
  /** The effects of its transaction, read from the bytes. */
  reading: Reading;
  /** How long it may be signed; null once it has expired. */
  left: string | null;
  /** Makes the transaction again. Returns undefined if nothing is to be signed any more. */
  renew: () => Promise<SignatureRequired | undefined>;
  /** Submits the signed transaction, in base64. */
  submit: (transaction: string) => Promise<void>;
  /** Signs by a wallet of the browser, and submits. @throws Problem if a renewed transaction does something else than was read. */
  signByWallet: (wallet: SigningWallet) => Promise<void>;
}

export function useSignatureRequest(request: SignatureRequired, chainKey: string, onDone: (outcome: Outcome) => void): RequestSteps {
  const [current, setCurrent] = useState(request);
  const [signatures, setSignatures] = useState(0);
  const left = useTimeLeft(current.expires_at);
  const { program_id: programId } = usePage().signedIn;
  const reading = useMemo(() => readingOf(current.transaction, chainKey, programId), [current.transaction, chainKey, programId]);
  const isShown = useRef(true);
  useEffect(() => () => void (isShown.current = false), []);
  const path = `/v1/signature_requests/${current.signature_request_id}`;

  const renew = async (): Promise<SignatureRequired | undefined> => {
    const answer = await untilFinal(() => post<object>(`${path}/renew`), onDone);
    if (isSignatureRequired(answer)) {
      setCurrent(answer);
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
      setCurrent(answer);
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
  return { current, signatures, reading, left, renew, submit, signByWallet };
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

/** The time until a moment, every second; null from then on. */
function useTimeLeft(until: string): string | null {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    setNow(Date.now());
    const timer = window.setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [until]);
  return timeLeft(until, now);
}
