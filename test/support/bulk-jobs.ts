/** Shared by the end-to-end tests of bulk jobs: operators of their own, and jobs that start, run, stand still and end. */
import { api, type Answer, type Api, type Body } from './api';
import { eventually } from './eventually';
import { newOperatorKey } from './operators';
import { sharedService } from './service';
import { anAccount, bodyOf, query, type TestAccount } from './world';

/** An operator of its own, with so many accounts. */
export async function anOperatorWith(count: number): Promise<{ by: Api; accounts: TestAccount[] }> {
  const by = api(sharedService().baseUrl, await newOperatorKey(sharedService()));
  return { by, accounts: await Promise.all(Array.from({ length: count }, () => anAccount({ by }))) };
}

export function bulk(by: Api, body: Body, headers: Record<string, string> = {}): Promise<Answer> {
  return by.post('/v1/accounts/bulk', body, headers);
}

/** The job that a request starts. */
export async function startJob(by: Api, body: Body): Promise<Body> {
  return bodyOf(await bulk(by, body), 202);
}

/** The job as it is now. */
export async function showJob(by: Api, { job_id }: Body): Promise<Body> {
  return bodyOf(await by.get(`/v1/jobs/${job_id}`), 200);
}

/** The job once it has ended. */
export function ended(by: Api, job: Body): Promise<Body> {
  return eventually(
    async () => {
      const shown = await showJob(by, job);
      expect(['finished', 'cancelled']).toContain(shown.status);
      return shown;
    },
    { timeoutMs: 50_000 },
  );
}

/** A job that does not go on: one of its accounts is in creation for ever. */
export async function aStuckJob(by: Api, body: Body): Promise<{ job: Body; release: () => Promise<void> }> {
  const { id, release } = await aStuckAccount(by);
  return { job: await startJob(by, { ...body, account_ids: [id, ...(body.account_ids ?? [])] }), release };
}

/** An account that is in creation until it is released. */
export async function aStuckAccount(by: Api): Promise<{ id: string; release: () => Promise<void> }> {
  const { id } = await anAccount({ by });
  await query(`UPDATE accounts SET state = 'creating', lease_until = 'infinity' WHERE id = $1`, [id]);
  const release = async (): Promise<void> =>
    void (await query(`UPDATE accounts SET state = 'open', lease_until = now() WHERE id = $1`, [id]));
  return { id, release };
}

export const idsOf = (accounts: TestAccount[]): string[] => accounts.map(({ id }) => id);

export async function policyOf(by: Api, { id }: { id: string }): Promise<Body> {
  return bodyOf(await by.get(`/v1/accounts/${id}/policy`), 200);
}
