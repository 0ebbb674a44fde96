import type { Caller } from '../../apps/api/src/http/caller';

/** The caller of a request with an operator key. */
export function operatorCaller(operatorId: string): Caller {
  return { operatorId, keyId: 'key', type: 'operator', accountIds: null, requestId: 'request', ip: null };
}
