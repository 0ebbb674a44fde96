/** Calls that may need the signature of a chain key that the operator holds: they wait until the page has it. */
import { Problem, call, forEach, get } from '../data/api';
import type { SignatureRequest, SignatureRequired } from '../data/types';

/** The outcome of a request: the answer of the action, or why there is none. */
export interface Outcome {
  answer?: unknown;
  problem?: Problem;
}

/** Requests that the operator is asked to sign, one after the other, with one key. */
export interface Signing {
  chainKey: string;
  requests: SignatureRequired[];
  /** Ends it with the outcomes of the first requests. The others stay unsigned. */
  finish: (outcomes: Outcome[]) => void;
}

const NOT_SIGNED = 'not_signed';

/** The operator closed the dialog without signing. */
export function notSigned(): Problem {
  return new Problem('This waits for your signature. It is listed under Signatures.', 0, NOT_SIGNED);
}

export function isNotSigned(problem: unknown): boolean {
  return problem instanceof Problem && problem.code === NOT_SIGNED;
}

/** Whether an answer asks for a signature. Other answers may have the status 202, too. */
export function isSignatureRequired(answer: unknown): answer is SignatureRequired {
  return typeof answer === 'object' && answer !== null && 'status' in answer && answer.status === 'signature_required';
}

/** Calls the service, and has signed what it asks for. Returns the answer of the action. @throws Problem, also if it is not signed */
export async function signedCall<T>(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<T> {
  return signed<T>(await call<T>(method, path, body, headers));
}

/** The answer once the operator has signed the transaction that it asks for. @throws Problem, also if it is not signed */
export async function signed<T>(answer: T | SignatureRequired): Promise<T> {
  if (!isSignatureRequired(answer)) return answer;
  const [outcome] = await sign([answer]);
  if (outcome?.problem) throw outcome.problem;
  return outcome?.answer as T;
}

/**
 * Calls `send` for all items, and then has signed what the answers ask for, one after the other. Returns the items for which it failed, with
 * the problems.
 */
export async function signedForEach<T>(
  items: T[],
  send: (item: T) => Promise<unknown>,
  has: (requests: SignatureRequired[]) => Promise<Outcome[]> = sign,
): Promise<{ item: T; problem: unknown }[]> {
  const unsigned: { item: T; request: SignatureRequired }[] = [];
  const failed = await forEach(items, async (item) => {
    const answer = await send(item);
    if (isSignatureRequired(answer)) unsigned.push({ item, request: answer });
  });
  const outcomes = await has(unsigned.map(({ request }) => request));
  const undone = unsigned.flatMap(({ item }, index) => {
    const problem = outcomes[index]?.problem;
    return problem ? [{ item, problem }] : [];
  });
  return [...failed, ...undone];
}

const waiting: Signing[] = [];
const listeners = new Set<() => void>();

/** Shows requests of one key to the operator. Returns the outcome of each. @throws Problem if the key cannot be read */
async function sign(requests: SignatureRequired[]): Promise<Outcome[]> {
  const [first] = requests;
  if (!first) return [];
  const { chain_key: chainKey } = await get<SignatureRequest>(`/v1/signature_requests/${first.signature_request_id}`);
  return new Promise((resolve) => {
    const signing: Signing = {
      chainKey,
      requests,
      finish: (outcomes) => {
        if (!waiting.includes(signing)) return;
        waiting.splice(waiting.indexOf(signing), 1);
        resolve(requests.map((_, index) => outcomes[index] ?? { problem: notSigned() }));
        notify();
      },
    };
    waiting.push(signing);
    notify();
  });
}

function notify(): void {
  for (const listener of listeners) listener();
}

/** The request that the operator is asked to sign now. */
export function currentSigning(): Signing | undefined {
  return waiting[0];
}

/** Calls `listener` when that changes. Returns a function that stops it. */
export function onSigning(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Ends all, unsigned. */
export function leaveUnsigned(): void {
  for (const signing of [...waiting]) signing.finish([]);
}
