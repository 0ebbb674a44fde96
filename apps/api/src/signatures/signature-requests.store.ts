import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, hydrate, newId, type Row, type Sql, sql } from '#database';
import { canonicalJson } from '#mpp';
import type { Caller } from '../http/caller';
import { pageConditions } from '../lists/pages';
import { Lease } from '../persistence/lease';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import { RowMacs } from '../secrets';
import type { Answer, SignatureRequired } from './operator-action';
import { SignatureRequest } from './signature-request.entity';
import type { ListSignatureRequestsQuery, SignatureRequestStatus } from './signature-requests.dto';

/**
 * How long a transaction can be signed. Its blockhash is valid for 150 blocks, about 60 seconds, is a few seconds old, and the signed
 * transaction must still land.
 */
const SIGN_WITHIN_MS = 50_000;

/** The retention of requests, that of events. The audit log keeps for ever what was done. */
const RETENTION_MS = 30 * 24 * 60 * 60 * 1000;
/** Requests that one run of the job deletes. The next one deletes what is left. */
const MAX_DELETED = 1_000;

/** The action that is asked for. */
export interface Asked {
  action: string;
  parameters: object;
  accountId: string | null;
  summary: string[];
}

/** The SQL of signature requests. */
@Injectable()
export class SignatureRequestsStore {
  private readonly lease: Lease;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    config: Config,
    private readonly macs: RowMacs,
  ) {
    this.lease = new Lease(database, clock, { table: 'signature_requests', durationMs: config.LEASE_MS });
  }

  /**
   * Stores what is to be signed. The same action of the same operator that is open keeps its transaction, which may be in the holder's hands
   * already, and gets the new one if it has expired.
   */
  async ask({ operatorId, keyId }: Caller, asked: Asked, required: SignatureRequired): Promise<SignatureRequest> {
    const now = this.clock.now();
    const hash = hashOf(asked);
    const made = this.made(operatorId, hash, required);
    const [row] = await execute(
      this.database,
      sql`INSERT INTO signature_requests AS request (id, operator_id, account_id, action, parameters, parameters_hash, summary, signer,
                 unsigned_transaction, last_valid_block_height, expires_at, seq, policy_version, authority_key, authority_key_sealed,
                 mac, created_by, created_at)
          VALUES (${newId('sig', now)}, ${operatorId}, ${asked.accountId}, ${asked.action}, ${JSON.stringify(asked.parameters)}, ${hash},
                  ${asked.summary}, ${made.signer}, ${made.transaction}, ${made.height}, ${made.expiresAt}, ${made.seq},
                  ${made.policyVersion}, ${made.authorityKey}, ${made.authorityKeySealed}, ${made.mac}, ${keyId}, ${now})
          ON CONFLICT (operator_id, parameters_hash) WHERE completed_at IS NULL
            DO UPDATE SET ${replacement(made)}, summary = excluded.summary
            WHERE request.lease_until <= ${now} AND request.expires_at <= ${now}
          RETURNING *`,
    );
    return row ? this.request(row) : this.findOpen(operatorId, hash);
  }

  /** Gives a request a new transaction, and ends its lease. */
  async renew({ id, operatorId, ...asked }: SignatureRequest, required: SignatureRequired): Promise<SignatureRequest> {
    const made = this.made(operatorId, hashOf(asked), required);
    const [row] = await execute(
      this.database,
      sql`UPDATE signature_requests SET ${replacement(made)}, lease_until = ${this.clock.now()} WHERE id = ${id} RETURNING *`,
    );
    if (!row) throw new Error(`the signature request ${id} does not exist`);
    return this.request(row);
  }

  /** Claims an open request for one execution, with the signature that was handed in. Undefined if it is claimed or completed. */
  async claim(id: string, signature: Uint8Array | null): Promise<SignatureRequest | undefined> {
    const set = signature === null ? undefined : sql`signature = ${Buffer.from(signature)}`;
    const row = await this.lease.claimOne(id, { where: sql`completed_at IS NULL`, ...(set && { set }) });
    return row && this.genuine(row);
  }

  release(id: string): Promise<void> {
    return this.lease.release(id);
  }

  /** Stores the answer of the action. */
  async complete(id: string, { status, headers, body }: Answer<object>): Promise<void> {
    const now = this.clock.now();
    await execute(
      this.database,
      sql`UPDATE signature_requests SET completed_at = ${now}, lease_until = ${now}, answer_status = ${status},
                 answer_headers = ${JSON.stringify(headers)}, answer_body = ${JSON.stringify(body)}
          WHERE id = ${id} AND completed_at IS NULL`,
    );
  }

  /** Deletes requests that expired long ago, completed or not. */
  async deleteOld(): Promise<void> {
    const oldest = new Date(this.clock.now().getTime() - RETENTION_MS);
    await execute(
      this.database,
      sql`DELETE FROM signature_requests WHERE id IN (
            SELECT id FROM signature_requests WHERE expires_at < ${oldest} AND lease_until <= ${this.clock.now()} ORDER BY expires_at
              LIMIT ${MAX_DELETED})`,
    );
  }

  async findOf(operatorId: string, id: string): Promise<SignatureRequest | undefined> {
    const [row] = await execute(this.database, sql`SELECT * FROM signature_requests WHERE id = ${id} AND operator_id = ${operatorId}`);
    return row && this.genuine(row);
  }

  /** A page of an operator's requests, newest first, with one more than the limit. */
  async list(operatorId: string, query: ListSignatureRequestsQuery): Promise<SignatureRequest[]> {
    const conditions = [
      sql`operator_id = ${operatorId}`,
      ...(query.status === undefined ? [] : [this.hasStatus(query.status)]),
      ...pageConditions('sig', query),
    ];
    const where = conditions.reduce((all, one) => sql`${all} AND ${one}`);
    const rows = await execute(
      this.database,
      sql`SELECT * FROM signature_requests WHERE ${where} ORDER BY id DESC LIMIT ${query.limit + 1}`,
    );
    return rows.flatMap((row) => this.genuine(row) ?? []);
  }

  statusOf({ completedAt, expiresAt }: SignatureRequest): SignatureRequestStatus {
    if (completedAt !== null) return 'completed';
    return expiresAt > this.clock.now() ? 'pending' : 'expired';
  }

  private hasStatus(status: SignatureRequestStatus): Sql {
    if (status === 'completed') return sql`completed_at IS NOT NULL`;
    const now = this.clock.now();
    return sql`completed_at IS NULL AND ${status === 'pending' ? sql`expires_at > ${now}` : sql`expires_at <= ${now}`}`;
  }

  private async findOpen(operatorId: string, hash: Buffer): Promise<SignatureRequest> {
    const [row] = await execute(
      this.database,
      sql`SELECT * FROM signature_requests WHERE operator_id = ${operatorId} AND parameters_hash = ${hash} ORDER BY id DESC LIMIT 1`,
    );
    if (!row) throw new Error('a signature request that is being executed has vanished');
    return this.request(row);
  }

  private made(operatorId: string, hash: Buffer, { required, madeWith }: SignatureRequired): Made {
    const made = {
      signer: required.signer,
      transaction: Buffer.from(required.transaction.bytes),
      height: required.transaction.lastValidBlockHeight,
      expiresAt: new Date(this.clock.now().getTime() + SIGN_WITHIN_MS),
      seq: madeWith.seq?.toString() ?? null,
      policyVersion: madeWith.policyVersion?.toString() ?? null,
      authorityKey: madeWith.authority?.key ?? null,
      authorityKeySealed: madeWith.authority?.sealed ?? null,
    };
    const { expiresAt: _untilRenewed, ...facts } = made;
    return { ...made, mac: this.macs.of('signature-request', [operatorId, hash, ...Object.values(facts)]) };
  }

  /** A request that the service stored as it is. One that is completed is history, because of which nothing is done. */
  private genuine(row: Row): SignatureRequest | undefined {
    const request = this.request(row);
    const { operatorId, signer, unsignedTransaction, lastValidBlockHeight, authorityKey, authorityKeySealed } = request;
    const made = [signer, unsignedTransaction, Number(lastValidBlockHeight), request.seq, request.policyVersion];
    const facts = [operatorId, hashOf(request), ...made, authorityKey, authorityKeySealed];
    return request.completedAt !== null || this.macs.isGenuine('signature-request', facts, request.mac) ? request : undefined;
  }

  private request(row: Row): SignatureRequest {
    return hydrate(this.database, SignatureRequest, row);
  }
}

interface Made {
  signer: string;
  transaction: Buffer;
  height: number;
  expiresAt: Date;
  seq: string | null;
  policyVersion: string | null;
  authorityKey: string | null;
  authorityKeySealed: string | null;
  mac: Buffer;
}

/** The assignments that put a new transaction in the place of the one before. */
function replacement(made: Made): Sql {
  return sql`signer = ${made.signer}, unsigned_transaction = ${made.transaction}, last_valid_block_height = ${made.height},
      expires_at = ${made.expiresAt}, seq = ${made.seq}, policy_version = ${made.policyVersion}, authority_key = ${made.authorityKey},
      authority_key_sealed = ${made.authorityKeySealed}, mac = ${made.mac}, signature = NULL`;
}

function hashOf({ action, parameters }: Pick<Asked, 'action' | 'parameters'>): Buffer {
  // As it is stored: without members that are undefined.
  const stored: unknown = JSON.parse(JSON.stringify({ action, parameters }));
  return createHash('sha256').update(canonicalJson(stored)).digest();
}
