import { DomainError } from '../http/domain.errors';

/** The same `Idempotency-Key` came with other parameters. */
export class CreationKeyConflict extends DomainError {
  constructor() {
    super({
      code: 'idempotency_conflict',
      status: 409,
      message: 'This Idempotency-Key was used to create an account with other parameters.',
    });
  }
}

/** Somebody else is creating the account of this key right now, or its outcome is not known yet. */
export class CreationUnsettled extends DomainError {
  constructor() {
    super({
      code: 'chain_unavailable',
      status: 503,
      message:
        'The account was sent to the chain and is not seen there yet. The service finishes it: list the accounts, or repeat the request with the same Idempotency-Key.',
      headers: { 'Retry-After': '5' },
    });
  }
}
