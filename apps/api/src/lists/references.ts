/** The words that callers attach to an order or a payment: stored and returned, not interpreted, not compared by a replay. */
import { Column } from 'typeorm';
import { type Sql, sql } from '#database';
import { IsMetadata, IsOmittable, IsText, MAX_METADATA_KEYS } from '../http/validation/checks';
import { InvalidRequest } from '../http/domain.errors';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type Metadata = { [key: string]: Json };

export const MAX_REFERENCE = 128;

/** The columns of what carries a reference. */
export abstract class Referenced {
  /** The caller's own name of it. */
  @Column('text', { nullable: true })
  reference: string | null;

  /** The caller's key-value pairs. */
  @Column('jsonb')
  metadata: Metadata;
}

/** The base class of a request that takes a reference and metadata. */
export abstract class ReferencedDto {
  /** The caller's own name of it, such as an invoice number. At most 128 characters. Lists filter by it. */
  @IsOmittable()
  @IsText({ max: MAX_REFERENCE })
  reference?: string;

  /** Stored and returned, not interpreted. */
  @IsOmittable()
  @IsMetadata()
  metadata?: Metadata;
}

/** The columns of a request. */
export function referencedBy({ reference, metadata }: ReferencedDto): Referenced {
  return { reference: reference ?? null, metadata: metadata ?? {} };
}

/** Nothing attached. */
export const UNREFERENCED: Referenced = { reference: null, metadata: {} };

/** The columns alone, of a row that has others. */
export function referenceOf({ reference, metadata }: Referenced): Referenced {
  return { reference, metadata };
}

/** The members of an object or an event in which what does not apply is absent. */
export function referenceMembers({ reference, metadata }: Referenced): Partial<{ reference: string; metadata: Metadata }> {
  return { ...(reference !== null && { reference }), ...(Object.keys(metadata).length > 0 && { metadata }) };
}

/**
 * A change of the column `metadata`, as SQL: merged in the statement, so that concurrent changes of other keys are preserved. A value of null
 * removes its key, and `null` itself all of them. `fits` is the condition that not too many keys are left.
 */
export function mergedMetadata(change: Record<string, unknown> | null | undefined): { merged: Sql; fits: Sql } {
  const entries = Object.entries(change ?? {});
  const set = JSON.stringify(Object.fromEntries(entries.filter(([, value]) => value !== null)));
  const removed = entries.filter(([, value]) => value === null).map(([key]) => key);
  const before = change === null ? sql`'{}'::jsonb` : sql`metadata`;
  const merged = sql`((${before} || ${set}::jsonb) - ${removed}::text[])`;
  return { merged, fits: sql`(SELECT count(*) FROM jsonb_object_keys(${merged})) <= ${MAX_METADATA_KEYS}` };
}

/** The error of a change that would leave too many keys. */
export function tooManyKeys(): InvalidRequest {
  return InvalidRequest.field('metadata', `must have at most ${MAX_METADATA_KEYS} keys, with those that it has already`);
}
