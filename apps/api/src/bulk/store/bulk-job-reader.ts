import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, hydrate, sql } from '#database';
import { pageConditions } from '../../lists/pages';
import { BulkJob } from '../bulk-job.entity';
import type { JobAccountView, JobFailure, ListJobAccountsQuery, ListJobsQuery } from '../bulk.dto';

/** The most failures that a job shows; all are in the list of its accounts. */
const MAX_FAILURES = 1_000;

/** Finds bulk jobs, their accounts and their parts. Changes nothing. */
@Injectable()
export class BulkJobReader {
  constructor(@InjectDataSource() private readonly database: DataSource) {}

  /** A job of any operator. */
  async find(id: string): Promise<BulkJob | undefined> {
    const [row] = await execute(this.database, sql`SELECT * FROM bulk_jobs WHERE id = ${id}`);
    return row && hydrate(this.database, BulkJob, row);
  }

  /** A page of an operator's jobs, newest first, with one more than the limit. */
  async list(operatorId: string, query: ListJobsQuery): Promise<BulkJob[]> {
    const conditions = [
      sql`operator_id = ${operatorId}`,
      ...(query.status === undefined ? [] : [sql`status = ${query.status}`]),
      ...(query.action === undefined ? [] : [sql`action = ${query.action}`]),
      ...pageConditions('job', query),
    ];
    const where = conditions.reduce((all, one) => sql`${all} AND ${one}`);
    const rows = await execute(this.database, sql`SELECT * FROM bulk_jobs WHERE ${where} ORDER BY id DESC LIMIT ${query.limit + 1}`);
    return rows.map((row) => hydrate(this.database, BulkJob, row));
  }

  /** The signature requests of jobs, in the order of their parts. */
  async requestsOf(jobIds: string[]): Promise<(jobId: string) => string[]> {
    const rows = await execute(
      this.database,
      sql`SELECT job_id, signature_request_id FROM bulk_job_parts WHERE job_id = ANY(${jobIds}) ORDER BY job_id, part`,
    );
    return (jobId) => rows.filter(({ job_id }) => job_id === jobId).map(({ signature_request_id }) => String(signature_request_id));
  }

  /** The first failures, in the order of the call. */
  async failures(jobId: string): Promise<JobFailure[]> {
    const rows = await execute(
      this.database,
      sql`SELECT account_id, error, message FROM bulk_job_accounts WHERE job_id = ${jobId} AND status = 'failed'
          ORDER BY position LIMIT ${MAX_FAILURES}`,
    );
    return rows.map(({ account_id, error, message }) => ({
      account_id: String(account_id),
      error: String(error),
      message: String(message),
    }));
  }

  /** A page of a job's accounts, in the order of the call, with one more than the limit. */
  async accounts(jobId: string, { cursor, limit }: ListJobAccountsQuery): Promise<(JobAccountView & { id: string })[]> {
    const rows = await execute(
      this.database,
      sql`SELECT position, account_id, status, error FROM bulk_job_accounts WHERE job_id = ${jobId} AND position > ${Number(cursor ?? -1)}
          ORDER BY position LIMIT ${limit + 1}`,
    );
    return rows.map(({ position, account_id, status, error }) => ({
      id: String(position),
      account_id: String(account_id),
      status: status === 'done' || status === 'failed' ? status : 'waiting',
      error: error === null ? null : String(error),
    }));
  }

  /** The parts that wait, and for which no signature was asked: a process died in between. */
  async unaskedParts(jobId: string): Promise<number[]> {
    const rows = await execute(
      this.database,
      sql`SELECT DISTINCT part FROM bulk_job_accounts step WHERE job_id = ${jobId} AND part IS NOT NULL AND status IN ('waiting', 'in_work')
            AND NOT EXISTS (SELECT 1 FROM bulk_job_parts asked WHERE asked.job_id = step.job_id AND asked.part = step.part) ORDER BY part`,
    );
    return rows.map(({ part }) => Number(part));
  }

  /** The accounts of a part that are not done, by their names on the list. */
  async ofPart(jobId: string, part: number): Promise<string[]> {
    const rows = await execute(
      this.database,
      sql`SELECT account_id FROM bulk_job_accounts WHERE job_id = ${jobId} AND part = ${part} AND status IN ('waiting', 'in_work')
          ORDER BY position`,
    );
    return rows.map(({ account_id }) => String(account_id));
  }
}
