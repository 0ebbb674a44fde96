import { Problem } from '../data/api';
import type { SignatureRequired } from '../data/types';
import { isNotSigned, isSignatureRequired, notSigned, signedForEach } from './requests';

const required = (id: string): SignatureRequired => ({
  status: 'signature_required',
  signature_request_id: id,
  transaction: '',
  summary: [],
  expires_at: '',
  message: '',
});

test('only an answer whose status is signature_required asks for a signature', () => {
  expect(isSignatureRequired(required('sig_1'))).toBe(true);
  for (const answer of [{ status: 'submitted' }, { status: 202 }, {}, null, undefined, 'signature_required'])
    expect(isSignatureRequired(answer)).toBe(false);
});

test('signedForEach returns what failed and what was not signed, and nothing else', async () => {
  const failure = new Problem('no', 402, 'policy_violation');
  const send = async (item: string): Promise<unknown> => {
    if (item === 'declined') throw failure;
    return item === 'done' ? {} : required(item);
  };
  const failed = await signedForEach(['done', 'declined', 'signed', 'skipped'], send, async (requests) =>
    requests.map(({ signature_request_id: id }) => (id === 'skipped' ? { problem: notSigned() } : { answer: {} })),
  );
  expect(failed).toHaveLength(2);
  expect(failed).toContainEqual({ item: 'declined', problem: failure });
  const skipped = failed.find(({ item }) => item === 'skipped');
  expect(isNotSigned(skipped?.problem)).toBe(true);
  expect(isNotSigned(failure)).toBe(false);
});

test('signedForEach asks for no signature where no answer does', async () => {
  const asked: number[] = [];
  const has = async (requests: SignatureRequired[]) => {
    asked.push(requests.length);
    return [];
  };
  expect(await signedForEach(['a', 'b'], async () => ({ status: 'settled' }), has)).toEqual([]);
  expect(asked).toEqual([0]);
});
