const REASONS: Record<string, string> = { denied: 'denied', approval_expired: 'expired' };

/** The word for a state. What the API calls rejected, a rule declined, a person denied, or no one approved in time. */
export function stateInWords(state: string, reason?: string): string {
  if (state === 'rejected') return REASONS[reason ?? ''] ?? 'declined';
  return state.replace('_', ' ');
}
