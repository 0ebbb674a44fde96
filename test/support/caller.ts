import type { Caller } from '../../apps/api/src/http/caller';

/** The caller of a request with an operator key. */
export function operatorCaller(operatorId: string): Caller {
  return { operatorId, keyId: 'key', type: 'operator', accountIds: null, allowedHosts: null, requestId: 'request', ip: null };
}

/** As the service of accounts says which of them a list shows, for tests in which every account is the operator's. */
export const listedAccounts = {
  listed: (caller: Caller, { account_id: id }: { account_id?: string }): Promise<readonly string[] | null> =>
    Promise.resolve(id === undefined ? caller.accountIds : caller.accountIds?.includes(id) === false ? [] : [id]),
};
