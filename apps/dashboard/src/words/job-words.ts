/** Bulk jobs in words. */
import type { Job, JobDetails } from '../data/types';

/** The past of each action, of accounts that have it. */
export const PAST: Record<Job['action'], string> = {
  pause: 'paused',
  resume: 'resumed',
  set_policy: 'changed',
  set_fleet: 'moved',
  add_labels: 'labelled',
  remove_labels: 'labelled',
  end_purses: 'without open purses',
};

const VERBS: Record<Job['action'], string> = {
  pause: 'Pause',
  resume: 'Resume',
  set_policy: 'Set the policy of',
  set_fleet: 'Move',
  add_labels: 'Add labels to',
  remove_labels: 'Remove labels from',
  end_purses: 'End the purses of',
};

/** How many of the accounts that failed are named. */
const MAX_NAMED = 10;

/** "Pause 202 accounts". */
export function jobInWords({ action, total }: Pick<Job, 'action' | 'total'>): string {
  return `${VERBS[action]} ${total === 1 ? 'one account' : `${total.toLocaleString('en-US')} accounts`}`;
}

/** Whether nothing more happens in a job. */
export function isOver({ status }: Pick<Job, 'status'>): boolean {
  return status === 'finished' || status === 'cancelled';
}

/** The first accounts that failed, with their errors. */
export function namesOfFailures(failures: JobDetails['failures'], nameOf: (id: string) => string): string {
  const names = failures.slice(0, MAX_NAMED).map(({ account_id, error }) => `${nameOf(account_id)} (${error})`);
  return names.join(', ') + (failures.length > MAX_NAMED ? ' …' : '');
}
