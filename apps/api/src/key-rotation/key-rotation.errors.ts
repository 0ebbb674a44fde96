import { Conflict, DomainError } from '../http/domain.errors';

/** Another process rotates the account's authority or closes it. */
export class AccountBusy extends Conflict {
  constructor() {
    super('The keys of this account are being changed, or it is being closed: try again in a moment.', 'busy');
  }
}

/** The account cannot be closed in its present state. */
export class AccountInUse extends Conflict {
  constructor(isPaused: boolean, why: string) {
    super(`The account cannot be closed: ${why}.`, isPaused ? 'paused' : 'active');
  }
}

/** A closed account holds nothing, or the account is not closed. */
export class NothingToSweep extends Conflict {}

/** The destination for an account's balance cannot receive USDC. */
export class InvalidDestination extends DomainError {
  constructor(reason: string) {
    super({ code: 'invalid_recipient', status: 422, message: `The destination cannot receive USDC: ${reason}.` });
  }
}

/** The stored rotation is not the service's: the database was written to directly. */
export class ForgedRotation extends Conflict {
  constructor() {
    super('A rotation is stored that this service did not begin. Nothing was signed: remove it from the database.', 'forged');
  }
}

/** Another request is rotating the same operator's key. */
export class OperatorBusy extends Conflict {
  constructor() {
    super("The operator's chain key is being changed right now.", 'rotating');
  }
}

/** The accounts are on their way to another chain key. */
export class HandingOver extends Conflict {
  constructor(next: string) {
    super(`The accounts are being handed over to the chain key ${next}: that must be finished first.`, 'handing_over');
  }
}

/** Some accounts have the new key on chain and some do not yet. Both keys are stored until all have it. */
export class RotationUnsettled extends DomainError {
  constructor() {
    super({
      code: 'chain_unavailable',
      status: 503,
      message:
        'The rotation has begun, and the chain did not take all of it in time. The service finishes it by itself; meanwhile everything works with both keys.',
      headers: { 'Retry-After': '5' },
    });
  }
}
