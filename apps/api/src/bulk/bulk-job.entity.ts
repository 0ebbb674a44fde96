import { createHash } from 'node:crypto';
import { Column, Entity } from 'typeorm';
import { BigintColumn, CreatedAtColumn, IdColumn, MomentColumn } from '#database';
import type { GivenCounterparty, UpdatePolicyDto } from '../policy';
import { KeyedCreation } from '../persistence/keyed-creation.entity';

/** The actions of requests. */
export const REQUESTED_ACTIONS = ['pause', 'resume', 'set_policy', 'add_labels', 'remove_labels', 'set_fleet'] as const;
/** `end_purses` is the service's own, after the pause of a fleet. */
export const BULK_ACTIONS = [...REQUESTED_ACTIONS, 'end_purses'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

export const JOB_STATUSES = ['running', 'cancelling', 'cancelled', 'finished'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** One change of many accounts. Its accounts are rows of `bulk_job_accounts`. */
@Entity('bulk_jobs')
export class BulkJob extends KeyedCreation {
  @IdColumn()
  id: string;

  /** Its place in the order in which jobs were accepted. */
  @BigintColumn()
  number: bigint;

  @Column('text')
  operatorId: string;

  @Column('text')
  action: BulkAction;

  /** The fields to change, of `set_policy` alone. */
  @Column('jsonb', { nullable: true })
  policy: UpdatePolicyDto | null;

  /** The counterparties of that policy, as they were resolved when the job was accepted. */
  @Column('jsonb', { nullable: true })
  counterparties: GivenCounterparty[] | null;

  /** The label that its accounts had when it was accepted, if they were selected by one. */
  @Column('text', { nullable: true })
  label: string | null;

  /** The fleet whose members it is for, if they were selected by it. */
  @Column('text', { nullable: true })
  fleetId: string | null;

  /** The fleet that `set_fleet` moves its accounts into; null to take them out of theirs. */
  @Column('text', { nullable: true })
  newFleetId: string | null;

  /** The labels to add or remove. */
  @Column('text', { array: true, nullable: true })
  labels: string[] | null;

  @Column('text')
  status: JobStatus;

  @Column('integer')
  total: number;

  @Column('integer')
  done: number;

  @Column('integer')
  failed: number;

  /** Why it does not go on at the moment. */
  @Column('text', { nullable: true })
  message: string | null;

  /** The operator's chain key is held outside: it waits for signatures, and holds no other job up. */
  @Column('boolean')
  isSignedOutside: boolean;

  /** The API key that asked for it. */
  @Column('text')
  createdBy: string;

  @CreatedAtColumn()
  createdAt: Date;

  @MomentColumn({ nullable: true })
  finishedAt: Date | null;

  /** Until then one process works on it. */
  @MomentColumn()
  leaseUntil: Date;

  /** The code of what the job does, and to which accounts. */
  @Column('bytea')
  mac: Buffer;
}

/** The facts of a job's code: all that decides what the service signs because of it. `accountIds` in their order. */
export function factsOf(
  job: Pick<BulkJob, 'id' | 'operatorId' | 'action' | 'policy' | 'counterparties' | 'labels' | 'newFleetId'>,
  accountIds: string[],
): unknown[] {
  const { id, operatorId, action, policy, counterparties, labels, newFleetId } = job;
  const digest = createHash('sha256').update(JSON.stringify(accountIds)).digest('hex');
  // As the database returns it: without members that are undefined.
  return [
    id,
    operatorId,
    action,
    policy && JSON.stringify(sorted(policy)),
    counterparties,
    digest,
    ...(labels ? [labels] : []),
    ...(newFleetId ? [newFleetId] : []),
  ];
}

function sorted(policy: UpdatePolicyDto): object {
  return Object.fromEntries(
    Object.entries(policy)
      .filter(([, value]) => value !== undefined)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** An account of a job that has its turn. */
export interface Step {
  position: number;
  accountId: string;
  /** A later job, or a request, decided whether the account is paused: this step leaves that alone. */
  isSuperseded: boolean;
  /** Another job works on the account: what the chain shows may change at once. */
  isContested: boolean;
}

/** The outcome of a step. A waiting one has its turn again. */
export type StepOutcome = { position: number } & ({ status: 'done' | 'waiting' } | { status: 'failed'; error: string; message: string });
