/** The words that callers attach to an order or a payment: stored and returned, not interpreted, not compared by a replay. */
import { IsMetadata, IsOmittable, IsText } from '../http/checks';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type Metadata = { [key: string]: Json };

export const MAX_REFERENCE = 128;

/** The columns of what carries a reference. */
export interface Referenced {
  reference: string | null;
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
