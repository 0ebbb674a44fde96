/** The advice about a decline: final if the policy decided, and otherwise the argument that would change it, with an example. */
type Members = Record<string, unknown>;

/** A decline as the API answers it, or the reason alone, if an object that was declined earlier is read. */
export interface Decline {
  rejection_reason?: unknown;
  message?: unknown;
  policy?: unknown;
}

/** The call that was declined. */
export interface DeclinedCall {
  args: Members;
  /** Whether the tool has an argument of this name. */
  takes: (name: string) => boolean;
}

export interface Advice {
  outcome: 'declined' | 'needs_change';
  next_step: string;
}

const FINAL = 'This is final. Do not try to get around it. Tell the user which rule declined, with its numbers.';
const DEPOSIT_FIRST = 'The account holds too little. Tell the user. After a deposit the same idempotency_key may be used again.';
const NO_ARGUMENT =
  'Nothing was paid. The provider asks for what this account cannot pay, and no argument changes that. Tell the user; another provider may do.';
const ASK_AGAIN = 'No person approved it in time, and nothing was paid. Ask the user before you ask again, with a new idempotency_key.';
const OPEN_SESSION = 'open_session, such as {"cap":"1"}';

/** The reasons that lie with the provider. Every other reason that no argument cures is a rule of the operator. */
const OF_THE_PROVIDER: ReadonlySet<unknown> = new Set([
  'recipient_mismatch',
  'mint_mismatch',
  'network_mismatch',
  'challenge_expired',
  'challenge_invalid',
  'category_conflict',
  'unsupported_method',
  'provider_refused',
]);
/** The reasons that another session or purse than the named one may not have. */
const OF_THE_ALLOWANCE: ReadonlySet<unknown> = new Set([
  'session_cap',
  'purse_amount',
  'purse_host',
  'purse_not_open',
  'purse_expires',
  'recipient_mismatch',
  'challenge_invalid',
  'category_conflict',
]);
/** The rules whose amounts a person may approve, and for which a payment does not wait. */
const FOR_APPROVAL: ReadonlySet<unknown> = new Set(['escalation_threshold', 'approval_above_daily_sum']);

/** The advice on a decline. */
export function adviceAbout(decline: Decline, call: DeclinedCall): Advice {
  const change = changeFor(decline, call);
  if (change !== undefined) {
    const next_step = `Nothing was paid. ${change}, and a new idempotency_key.`;
    return { outcome: 'needs_change', next_step };
  }
  return { outcome: 'declined', next_step: unchanged(decline.rejection_reason) };
}

function unchanged(reason: unknown): string {
  if (reason === 'insufficient_balance') return DEPOSIT_FIRST;
  if (reason === 'approval_expired') return ASK_AGAIN;
  return OF_THE_PROVIDER.has(reason) ? NO_ARGUMENT : FINAL;
}

/** The call that may be paid, up to its idempotency key; undefined if no argument cures the decline. */
function changeFor(decline: Decline, { args, takes }: DeclinedCall): string | undefined {
  const { rejection_reason: reason } = decline;
  const policy = membersOf(decline.policy);
  if (reason === 'require_memo' && takes('memo'))
    return 'Transfers of this account need a memo: repeat the call with memo, such as "invoice 17"';
  if (reason === 'categories' && takes('category') && args.category === undefined)
    return `This account pays only for some categories: repeat the call with the category of this purchase${oneOf(policy.allowed)}`;
  if (reason === 'valid_until' && args.expires_in_seconds !== undefined)
    return 'The policy ends earlier: repeat the call without expires_in_seconds, so that it ends with the policy';
  if (!takes('max_amount')) return undefined;
  if (reason === 'max_amount')
    return (
      'The price is above max_amount. If it is worth that to the user, repeat the call with a higher max_amount, such as ' +
      quoted(policy.attempted_usdc, '1')
    );
  return changeOfPayment(decline, args);
}

/** Another way to pay a provider. */
function changeOfPayment({ rejection_reason: reason, message }: Decline, args: Members): string | undefined {
  if (FOR_APPROVAL.has(reason))
    return (
      'A person must approve an amount of this size: open a session with session_open, such as ' +
      '{"provider":"https://api.example.com","payee":"…","cap":"10"}, ' +
      'and after the approval repeat the call with its session_id'
    );
  if (reason === 'charge_with_listed_recipients') return `This account pays only through sessions: repeat the call with ${OPEN_SESSION}`;
  if (reason === 'unsupported_method' && String(message).includes('add open_session'))
    return `The provider takes only sessions: repeat the call with ${OPEN_SESSION}`;
  if (reason === 'unsupported_method' && String(message).includes('leave session_id and open_session out'))
    return 'The provider takes no sessions: repeat the call without session_id and open_session, such as {"url":"…","max_amount":"1"}';
  if (reason === 'session_cap' && args.session_id === undefined)
    return `The cap leaves less than the price: repeat the call with a higher cap in ${OPEN_SESSION}`;
  if (!OF_THE_ALLOWANCE.has(reason)) return undefined;
  if (args.session_id !== undefined) return `The session does not fit this call: repeat it without session_id, with ${OPEN_SESSION}`;
  if (args.purse_id !== undefined)
    return (
      'The purse does not fit this call: repeat it without purse_id, or with that of a purse that purse_open opened, such as ' +
      '{"kind":"channel","amount":"1"}'
    );
  return undefined;
}

function oneOf(allowed: unknown): string {
  return Array.isArray(allowed) && allowed.length > 0 ? `, such as ${allowed.map((each) => quoted(each)).join(' or ')}` : '';
}

function quoted(value: unknown, otherwise = ''): string {
  return JSON.stringify(typeof value === 'string' ? value : otherwise);
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
