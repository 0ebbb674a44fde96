/** The purpose of a payment: a claim of the payee's, which may stand in several places and must then be the same in all. */
import type { Challenge } from '../headers/challenge';
import { isObject } from '../json';
import { MppError } from '../mpp.errors';

const CATEGORY = /^[a-z0-9][a-z0-9_-]{0,31}$/;

/** The category as policies have it, or null for what cannot be one. */
export function normaliseCategory(text: string): string | null {
  const category = text.normalize('NFC').trim().toLowerCase();
  return CATEGORY.test(category) ? category : null;
}

/**
 * The category that a challenge claims, or null if it claims none. Read in `request.methodDetails`, `request`, `opaque` and
 * the challenge's own parameter. @throws MppError `category_conflict` if two differ, `request_invalid` if one is invalid.
 */
export function categoryOf({ requestObject, opaqueTexts, category }: Challenge): string | null {
  const { methodDetails } = requestObject;
  const claims = [
    isObject(methodDetails) ? methodDetails.category : undefined,
    requestObject.category,
    opaqueTexts?.category,
    category,
  ].filter((claim) => claim !== undefined && claim !== null);
  const categories = claims.map((claim) => {
    const normal = typeof claim === 'string' ? normaliseCategory(claim) : null;
    if (normal === null) throw new MppError('request_invalid', 'the category has 1 to 32 characters of a-z, 0-9, "_" and "-"');
    return normal;
  });
  const [first = null, ...others] = categories;
  if (others.some((other) => other !== first))
    throw new MppError('category_conflict', `the challenge claims several categories: ${categories.join(', ')}`);
  return first;
}
