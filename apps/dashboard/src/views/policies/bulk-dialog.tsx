import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, get, newKey, post } from '../../data/api';
import { useData, useGet } from '../../data/data';
import { PAST, isOver, namesOfFailures } from '../../words/job-words';
import { changed } from '../../data/live';
import { isNotSigned, signedForEach } from '../../signing';
import type { Job, JobDetails, SignatureRequest, SignatureRequired } from '../../data/types';
import { Dialog, Form, Loaded, Notice, usePage } from '../../ui';

const PROGRESS_EVERY_MS = 1_000;

/** A change of many accounts, as `POST /v1/accounts/bulk` takes it. */
export type BulkChange =
  | { action: 'pause' | 'resume' }
  | { action: 'set_policy'; policy: object }
  | { action: 'set_fleet'; new_fleet_id: string | null }
  | { action: 'add_labels' | 'remove_labels'; labels: string[] };
export type BulkSelection = { all: true } | { account_ids: string[] };

interface BulkDialogProps {
  title: string;
  /** The button that starts it. */
  submit: string;
  change: BulkChange;
  selection: BulkSelection;
  onClose: () => void;
  children?: ComponentChildren;
}

/** Changes many accounts by one request after a confirmation, and shows how far the job of the service is. */
export function BulkDialog({ title, submit, change, selection, onClose, children }: BulkDialogProps): JSX.Element {
  const [job, setJob] = useState<Job>();
  const body = JSON.stringify({ ...change, ...selection });
  // A repeated click starts no second job, and another change is another job.
  const key = useRef({ body, key: newKey() });
  if (key.current.body !== body) key.current = { body, key: newKey() };
  const send = async (): Promise<void> => {
    const headers = { 'Idempotency-Key': key.current.key };
    const started = await call<Job>('POST', '/v1/accounts/bulk', { ...change, ...selection }, headers);
    setJob(started);
    changed();
    await signAll(started);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {job ? (
        <Progress job={job} onClose={onClose} />
      ) : (
        <Form send={send} submit={submit} danger={change.action === 'pause'} onCancel={onClose}>
          {children}
          <Changes change={change} selection={selection} />
          <p class="muted">The service does it as a job, which goes on when you close this page, and is listed under Jobs.</p>
        </Form>
      )}
    </Dialog>
  );
}

/** Changes that the job would make, in sentences, by a dry run. */
function Changes({ change, selection }: { change: BulkChange; selection: BulkSelection }): JSX.Element {
  const body = { ...change, ...selection };
  const dryRun = useData(JSON.stringify(body), () => call<{ changes: string[] }>('POST', '/v1/accounts/bulk', body, { 'Dry-Run': 'true' }));
  return (
    <Loaded {...dryRun}>
      {({ changes }) => (
        <Notice>
          <ul class="previews">
            {changes.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </Notice>
      )}
    </Loaded>
  );
}

/** The effect of a pause or of its end. */
export function PauseEffect({ action }: { action: 'pause' | 'resume' }): JSX.Element {
  return (
    <p>
      {action === 'pause'
        ? 'The chain will decline every outgoing transfer, charge and opening of a session until you resume the account. Open sessions pay nothing ' +
          'more. No money moves.'
        : 'Outgoing transfers will be possible again, within the other rules of each account.'}
    </p>
  );
}

/** The progress of a job, and its outcome. */
function Progress({ job, onClose }: { job: Job; onClose: () => void }): JSX.Element {
  const { data } = useGet<JobDetails>(`/v1/jobs/${job.job_id}`, { everyMs: PROGRESS_EVERY_MS });
  const { status, done, failed, total, message } = data ?? job;
  const isDone = isOver({ status });
  const { nameOf } = usePage();
  useEffect(() => void (isDone && changed()), [isDone]);
  return (
    <>
      <progress value={done + failed} max={Math.max(1, total)} aria-label="Accounts" />
      <Notice {...(isDone && { tone: failed > 0 ? 'bad' : 'good' })}>
        <p>{isDone ? `${done === 1 ? 'One account is' : `${done} accounts are`} ${PAST[job.action]}.` : message}</p>
        {failed > 0 && (
          <p>
            {failed} failed: {namesOfFailures(data?.failures ?? [], nameOf)}.
          </p>
        )}
      </Notice>
      <div class="actions">
        {status === 'running' && (
          <button type="button" onClick={() => void post(`/v1/jobs/${job.job_id}/cancel`).then(changed)}>
            Cancel the job
          </button>
        )}
        <button type="button" class="primary" onClick={onClose}>
          Close
        </button>
      </div>
    </>
  );
}

/** Asks for the signatures of a job, if the operator holds the chain key. What is not signed waits under Signatures. */
async function signAll({ signature_requests: ids = [] }: Job): Promise<void> {
  const failed = await signedForEach(ids, requestToSign);
  const [other] = failed.filter(({ problem }) => !isNotSigned(problem));
  if (other) throw other.problem;
}

async function requestToSign(id: string): Promise<SignatureRequired> {
  const path = `/v1/signature_requests/${id}`;
  const { status, signature_request_id, transaction, summary, expires_at } = await get<SignatureRequest>(path);
  if (status === 'expired') return post<SignatureRequired>(`${path}/renew`);
  return { status: 'signature_required', signature_request_id, transaction, summary, expires_at, message: '' };
}
