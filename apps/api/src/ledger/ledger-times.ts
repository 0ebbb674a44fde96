/** Ids of entries are made at most this long after the `created_at` of their entry. */
const ID_TIME_TOLERANCE_MS = 5 * 60_000;

/** A moment by which every entry that was created before another one has its id. */
export function afterIdTolerance(moment: Date): Date {
  return new Date(moment.getTime() + ID_TIME_TOLERANCE_MS);
}

/** The beginning of the month of UTC that a moment is in, or of one some months later. */
export function monthOf(moment: Date, later = 0): Date {
  const month = new Date(0);
  month.setUTCFullYear(moment.getUTCFullYear(), moment.getUTCMonth() + later, 1);
  return month;
}
