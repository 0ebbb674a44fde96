import { ChainUnavailableError } from '#chain';
import type { EgressError } from '../egress/egress.errors';
import { type Caller, covers } from '../http/caller';
import { ChainUnavailable, Conflict, DomainError } from '../http/domain.errors';
import type { StoredViolation } from '../orders';
import type { Payment, PaymentFailure } from './payment.entity';

/** A payment is declined: a policy violation, the caller's own bounds, or a challenge that is not paid. */
export class Declined extends Error {
  constructor(readonly violation: StoredViolation) {
    super(violation.message);
  }

  static because(rule: string, message: string, numbers: Partial<StoredViolation> = {}): Declined {
    return new Declined({ rule, message, ...numbers });
  }
}

/** The key was used with other parameters. Names the payment, if it is known, only to a caller that may see it. */
export class PaymentKeyConflict extends DomainError {
  constructor(payment: Pick<Payment, 'id' | 'accountId'> | null, caller?: Pick<Caller, 'accountIds'>) {
    super({
      code: 'idempotency_conflict',
      status: 409,
      message: 'This idempotency_key was used with other parameters.',
      details: payment && caller && covers(caller, payment.accountId) ? { payment_id: payment.id } : {},
    });
  }
}

/** The chain shows that the agent paid with the credential, and the database was restored from a backup made before. */
export class CredentialLost extends DomainError {
  constructor({ id, status }: Payment) {
    super({
      code: 'conflict',
      status: 409,
      message: 'This was paid already, and what it was paid with is not kept any more.',
      details: { payment_id: id, status },
    });
  }
}

/** The database was restored from a backup, and a session or a purse of the account may have paid the same request since the backup. */
export class MayBePaid extends Conflict {
  constructor(id: string) {
    super(
      `The database was restored from a backup, and ${id} may have paid this request after the backup was made. Nothing was paid now. ` +
        'To pay, open a session or a purse and name it in the request.',
      'unknown',
    );
    Object.assign(this, { details: { ...this.details, [id.startsWith('purse_') ? 'purse_id' : 'session_id']: id } });
  }
}

/** The provider gave no answer before a credential was stored. */
class ProviderUnreachable extends DomainError {
  constructor(message: string, name: { payment_id?: string }) {
    super({ code: 'provider_unreachable', status: 502, message, details: { ...name, status: 'failed' } });
  }
}

/** Other single payments of the account took too long, or a purse is open. */
export class AccountBusy extends Conflict {
  constructor(name: { payment_id?: string }) {
    super(
      'Other single payments of this account are under way, or a purse of it is open. Nothing was signed: repeat the request with the same key.',
      'failed',
    );
    Object.assign(this, { details: { ...this.details, ...name }, headers: { 'Retry-After': '2' } });
  }
}

/** The error of a payment that has no credential. */
export function paymentFailureError(payment: Pick<Payment, 'id'> | null, { code, message }: PaymentFailure): DomainError {
  const name = payment ? { payment_id: payment.id } : {};
  switch (code) {
    case 'chain_unavailable':
      return new ChainUnavailable(message, { ...name, status: 'failed' });
    case 'account_busy':
      return new AccountBusy(name);
    case 'provider_unreachable':
      return new ProviderUnreachable(message, name);
  }
}

/** The failure of a payment whose provider gave no answer before a credential was stored. */
export function unreachable({ message }: EgressError): PaymentFailure {
  return { code: 'provider_unreachable', message: `The provider gave no answer: ${message}. Nothing was paid.` };
}

/** The failure of a payment that may be paid later; undefined for any other error. */
export function failureOf(error: unknown): PaymentFailure | undefined {
  if (error instanceof ChainUnavailableError)
    return {
      code: 'chain_unavailable',
      message: 'The chain cannot be asked right now. Nothing was paid: repeat the request with the same key.',
    };
  if (error instanceof ChainUnavailable) return { code: 'chain_unavailable', message: error.message };
  return error instanceof AccountBusy ? { code: 'account_busy', message: error.message } : undefined;
}
