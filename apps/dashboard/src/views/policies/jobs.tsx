import type { JSX } from 'preact';
import { post } from '../../data/api';
import { useGet, useRows } from '../../data/data';
import type { Filter } from '../../filters';
import { isOver, jobInWords } from '../../words/job-words';
import { changed } from '../../data/live';
import { stateOptions } from '../../words/state-words';
import type { Job, JobDetails } from '../../data/types';
import {
  AccountLink,
  Action,
  Code,
  Empty,
  Facts,
  FilteredList,
  Heading,
  Loaded,
  More,
  Notice,
  Section,
  Status,
  Table,
  Time,
  TimeLine,
  type Column,
} from '../../ui';

/** Jobs cause an event at their end alone, so they are polled. */
const EVERY_MS = 2_000;

const FILTERS: Filter[] = [
  { kind: 'choice', name: 'status', label: 'State', options: stateOptions(['running', 'cancelling', 'cancelled', 'finished']) },
  {
    kind: 'choice',
    name: 'action',
    label: 'Action',
    options: stateOptions(['pause', 'resume', 'set_policy', 'set_fleet', 'add_labels', 'remove_labels', 'end_purses']),
  },
];

const COLUMNS: Column<Job>[] = [
  { name: 'Job', cell: jobInWords, onPhone: 'first' },
  { name: 'State', cell: ({ status }) => <Status of={status} />, onPhone: 'end' },
  { name: 'Progress', cell: (job) => <JobProgress job={job} /> },
  {
    name: 'Failed',
    isNumber: true,
    cell: ({ failed }) => (failed > 0 ? <span class="bad-text">{failed.toLocaleString()}</span> : 0),
    onPhone: 'labelled',
  },
  { name: 'Message', cell: ({ message }) => message, onPhone: 'rest' },
  { name: 'Created', cell: ({ created_at }) => <Time at={created_at} />, onPhone: 'labelled' },
  { name: 'Action', cell: (job) => <CancelJob job={job} /> },
];

/** The changes of many accounts that the service makes or has made, for everybody of the operator. */
export function JobsView({ query }: { query: Record<string, string> }): JSX.Element {
  return (
    <FilteredList<Job>
      title="Jobs"
      place="/jobs"
      source="/v1/jobs"
      everyMs={EVERY_MS}
      query={query}
      filters={FILTERS}
      columns={COLUMNS}
      keyOf={({ job_id }) => job_id}
      linkOf={({ job_id }) => `/jobs/${job_id}`}
      empty="No jobs in the last 90 days. Select accounts to pause, resume or change many at once."
    />
  );
}

/** One job: how far it is, and which accounts failed. */
export function JobView({ id }: { id: string }): JSX.Element {
  const job = useGet<JobDetails>(`/v1/jobs/${id}`, { everyMs: EVERY_MS });
  return (
    <>
      <Heading
        title={job.data ? jobInWords(job.data) : job.problem && 'Job'}
        state={job.data && <Status of={job.data.status} />}
        back={{ to: '/jobs', title: 'Jobs' }}
      >
        {job.data && <CancelJob job={job.data} />}
      </Heading>
      <Loaded {...job}>
        {(data) => (
          <>
            <TimeLine
              steps={[
                { what: 'Created', at: data.created_at },
                data.finished_at !== null && { what: data.status === 'cancelled' ? 'Cancelled' : 'Finished', at: data.finished_at },
              ]}
            />
            <JobProgress job={data} />
            <Notice {...(isOver(data) && { tone: data.failed > 0 ? 'bad' : 'good' })}>{data.message}</Notice>
            <Facts
              facts={[
                ['Accounts', data.total.toLocaleString()],
                ['Done', data.done.toLocaleString()],
                ['Failed', data.failed.toLocaleString()],
                ['Job id', <Code text={data.job_id} />],
              ]}
            />
          </>
        )}
      </Loaded>
      <Failures of={job.data} />
      <JobAccounts id={id} />
    </>
  );
}

function Failures({ of }: { of: JobDetails | undefined }): JSX.Element | null {
  if (!of || of.failures.length === 0) return null;
  return (
    <Section title="Failed accounts">
      {of.failures_truncated && <Notice>The first {of.failures.length.toLocaleString()} are listed.</Notice>}
      <Table
        label="Failed accounts"
        rows={of.failures}
        keyOf={({ account_id }) => account_id}
        linkOf={({ account_id }) => `/accounts/${account_id}`}
        columns={[
          { name: 'Account', cell: ({ account_id }) => <AccountLink id={account_id} /> },
          { name: 'Why', cell: ({ message }) => message, onPhone: 'rest' },
        ]}
      />
    </Section>
  );
}

interface JobAccount {
  account_id: string;
  status: 'waiting' | 'done' | 'failed';
  error: string | null;
}

function JobAccounts({ id }: { id: string }): JSX.Element {
  const accounts = useRows<JobAccount>(`/v1/jobs/${id}/accounts`, {}, { everyMs: EVERY_MS });
  return (
    <Section title="Accounts">
      <Loaded {...accounts}>
        {(page) =>
          page.data.length === 0 ? (
            <Empty>There was no account to change.</Empty>
          ) : (
            <>
              <Table
                label="Accounts"
                rows={page.data}
                keyOf={({ account_id }) => account_id}
                linkOf={({ account_id }) => `/accounts/${account_id}`}
                columns={[
                  { name: 'Account', cell: ({ account_id }) => <AccountLink id={account_id} /> },
                  { name: 'State', cell: ({ status }) => <Status of={status} />, onPhone: 'end' },
                  { name: 'Error', cell: ({ error }) => error, onPhone: 'rest' },
                ]}
              />
              <More page={page} more={accounts.more} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

/** How many accounts of a job are done or given up, as a bar and in numbers. */
function JobProgress({ job: { done, failed, total } }: { job: Job }): JSX.Element {
  return (
    <span class="job-progress">
      <progress value={done + failed} max={Math.max(1, total)} aria-label="Accounts that are done" /> {(done + failed).toLocaleString()} of{' '}
      {total.toLocaleString()}
    </span>
  );
}

/** Ends a job after the accounts in work. */
function CancelJob({ job }: { job: Job }): JSX.Element | null {
  if (job.status !== 'running') return null;
  const cancel = async (): Promise<void> => {
    await post(`/v1/jobs/${job.job_id}/cancel`);
    changed();
  };
  return (
    <Action run={cancel} label={`Cancel: ${jobInWords(job)}`}>
      Cancel
    </Action>
  );
}
