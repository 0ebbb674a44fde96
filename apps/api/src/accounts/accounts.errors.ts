import { Conflict, DomainError } from '../http/domain.errors';

/** The `Idempotency-Key` was used with other parameters. */
export class CreationKeyConflict extends DomainError {
  constructor() {
    super({
      code: 'idempotency_conflict',
      status: 409,
      message: 'This Idempotency-Key was used to create an account with other parameters.',
    });
  }
}

/** Another request is creating the account of this key, or the outcome of the creation is unknown. */
export class CreationUnsettled extends DomainError {
  constructor() {
    super({
      code: 'chain_unavailable',
      status: 503,
      message:
        'The account was sent to the chain and is not seen there yet. The service finishes it: list the accounts, or repeat the request with the ' +
        'same Idempotency-Key.',
      headers: { 'Retry-After': '5' },
    });
  }
}

/** The account obeys a chain key that the database does not know: it was restored from a backup that is older than the key. */
export class UnknownChainKey extends Conflict {
  constructor() {
    super(
      'On chain the account obeys a chain key that this service does not know. If it is yours, hand the accounts to it again: POST /v1/operators/chain_key.',
      'unknown_chain_key',
    );
  }
}

/** An account joins and leaves a fleet only while nothing is reserved, so that what was reserved in a fleet is released in the same one. */
export class AmountsReserved extends Conflict {
  constructor() {
    super('Open sessions, purses or charges of the account reserve amounts: close them first.', 'reserved');
  }
}

/** An account outside of a fleet always has a policy of its own. */
export class NotMember extends Conflict {
  constructor() {
    super('The account is in no fleet: its own policy cannot be ended.', 'active');
  }
}

/** The row of an account names a fleet that the service did not store there. */
export class ForgedMembership extends Conflict {
  constructor() {
    super('The fleet of this account was changed in the database, and not by this service. Nothing is spent.', 'changed');
  }
}
