/** The message of an error, or the text of anything else that was thrown: for logs. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
