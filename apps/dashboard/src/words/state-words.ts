const REASONS: Record<string, string> = { denied: 'Denied', approval_expired: 'Expired' };

/** The word for a state. What the API calls rejected, a rule declined, a person denied, or no one approved in time. */
export function stateInWords(state: string, reason?: string): string {
  if (state === 'rejected') return REASONS[reason ?? ''] ?? 'Declined';
  const words = state.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The options of a filter by state. */
export function stateOptions(states: string[]): [string, string][] {
  return states.map((state) => [state, stateInWords(state)]);
}
