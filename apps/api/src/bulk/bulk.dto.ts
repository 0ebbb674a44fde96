import { Check, type Defect, IsNested, IsNullable, IsOmittable, IsOneOf, IsText, IsTextList, itself } from '../http/validation/checks';
import { LABEL, MAX_LABELS } from '../accounts';
import { codePoints } from '../http/validation/text';
import { keysetQuery, pageQuery } from '../lists/pages';
import { UpdatePolicyDto } from '../policy';
import { BULK_ACTIONS, REQUESTED_ACTIONS, type BulkAction, type BulkJob, JOB_STATUSES, type JobStatus } from './bulk-job.entity';

/** The most accounts that one request names. */
export const MAX_ACCOUNT_IDS = 10_000;
const MAX_ID_CHARACTERS = 64;

/** Ids and handles of accounts. One that is listed twice counts once. */
const IsAccountList = (): PropertyDecorator =>
  Check(
    (value): Defect[] => {
      if (!Array.isArray(value)) return [itself('must be a list')];
      if (value.length < 1 || value.length > MAX_ACCOUNT_IDS) return [itself(`must have 1 to ${MAX_ACCOUNT_IDS} entries`)];
      return value.flatMap((id: unknown, index): Defect[] => {
        if (typeof id !== 'string') return [{ at: `[${index}]`, message: 'must be a string' }];
        const length = codePoints(id);
        const isBounded = length >= 1 && length <= MAX_ID_CHARACTERS;
        return isBounded ? [] : [{ at: `[${index}]`, message: `must have 1 to ${MAX_ID_CHARACTERS} characters` }];
      });
    },
    {
      type: 'array',
      minItems: 1,
      maxItems: MAX_ACCOUNT_IDS,
      items: { type: 'string', minLength: 1, maxLength: MAX_ID_CHARACTERS },
    },
  );

const IsTrue = (): PropertyDecorator =>
  Check((value) => (value === true ? [] : [itself('must be true, or left out')]), { type: 'boolean', const: true });

/** One change of many accounts. Exactly one selection says of which. */
export class BulkDto {
  @IsOneOf(REQUESTED_ACTIONS)
  action: (typeof REQUESTED_ACTIONS)[number];

  /** The accounts, by id or handle. One that does not exist is a failure of the job, and refuses nothing. */
  @IsOmittable()
  @IsAccountList()
  account_ids?: string[];

  /** The accounts that have this label now and are not closed. */
  @IsOmittable()
  @IsText(LABEL)
  label?: string;

  /** The accounts that are in this fleet now and are not closed. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID_CHARACTERS })
  fleet_id?: string;

  /** Every account that is not closed, those in creation included. */
  @IsOmittable()
  @IsTrue()
  all?: true;

  /** The fields to change, required with `set_policy` alone. Merged into each policy, as by `PUT`. */
  @IsOmittable()
  @IsNested(() => UpdatePolicyDto)
  policy?: UpdatePolicyDto;

  /** The labels to add or remove, required with `add_labels` and `remove_labels` alone. */
  @IsOmittable()
  @IsTextList({ min: 1, max: MAX_LABELS, item: LABEL })
  labels?: string[];

  /** The fleet to move the accounts into, or null to take them out of theirs: required with `set_fleet` alone. */
  @IsNullable()
  @IsText({ min: 1, max: MAX_ID_CHARACTERS })
  new_fleet_id?: string | null;
}

export class ListJobsQuery extends pageQuery({ of: 'job' }) {
  @IsOmittable()
  @IsOneOf(JOB_STATUSES)
  status?: JobStatus;

  @IsOmittable()
  @IsOneOf(BULK_ACTIONS)
  action?: BulkAction;
}

/** Accounts of a job are listed by their position. */
export class ListJobAccountsQuery extends keysetQuery((key) => /^\d{1,9}$/.test(key)) {}

/** A bulk job, as the API shows it. */
export interface JobView {
  job_id: string;
  action: BulkAction;
  total: number;
  /** Accounts that are as asked, changed or not. */
  done: number;
  /** Accounts that were given up. */
  failed: number;
  status: JobStatus;
  /** How far it is, or what it waits for. */
  message: string;
  created_at: string;
  finished_at: string | null;
  /** The requests to sign, where the operator holds its chain key. */
  signature_requests?: string[];
}

/** An account that was given up. */
export interface JobFailure {
  account_id: string;
  /** An error code, such as `not_found`. */
  error: string;
  message: string;
}

/** A bulk job with its failures. */
export interface JobDetailsView extends JobView {
  /** The first 1,000, in the order of the call. */
  failures: JobFailure[];
  /** Whether there are more. */
  failures_truncated: boolean;
}

/** An account of a job. */
export interface JobAccountView {
  account_id: string;
  status: 'waiting' | 'done' | 'failed';
  /** An error code, of a failed one alone. */
  error: string | null;
}

/** The answer to a dry run. Nothing was stored. */
export interface BulkDryRunView {
  dry_run: true;
  action: BulkAction;
  total: number;
  /** The changes, compared with the service's last read of each account. */
  changes: string[];
}

/** The change of an action as fields of a policy. */
export function policyOf({ action, policy }: Pick<BulkJob, 'action'> & { policy?: UpdatePolicyDto | null }): UpdatePolicyDto {
  if (action === 'set_policy') return policy ?? {};
  return action === 'pause' || action === 'resume' ? { paused: action === 'pause' } : {};
}

export function jobView(job: BulkJob, signatureRequests: string[]): JobView {
  return {
    job_id: job.id,
    action: job.action,
    total: job.total,
    done: job.done,
    failed: job.failed,
    status: job.status,
    message: job.message ?? progress(job),
    created_at: job.createdAt.toISOString(),
    finished_at: job.finishedAt?.toISOString() ?? null,
    ...((job.isSignedOutside || signatureRequests.length > 0) && { signature_requests: signatureRequests }),
  };
}

function progress({ status, total, done, failed, isSignedOutside }: BulkJob): string {
  const counts = `${done} of ${total} accounts are done${failed > 0 ? `, ${failed} failed` : ''}.`;
  if (status === 'cancelled') return `Cancelled: ${counts}`;
  if (status === 'cancelling') return `Accounts in work are finished, no other is begun: ${counts}`;
  if (status === 'finished') return `Finished: ${counts}`;
  return isSignedOutside ? `Sign the signature_requests: ${counts}` : counts;
}
