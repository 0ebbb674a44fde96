import { Conflict, DomainError } from '../http/domain.errors';

/** Somebody else is at work on the account's keys or its end. */
export class AccountBusy extends Conflict {
  constructor() {
    super('The keys of this account are being changed, or it is being closed: try again in a moment.', 'busy');
  }
}

/** The account may not be closed as it is. */
export class AccountInUse extends Conflict {
  constructor(isPaused: boolean, why: string) {
    super(`The account cannot be closed: ${why}.`, isPaused ? 'paused' : 'active');
  }
}

/** Another request is rotating the same operator's key. */
export class OperatorBusy extends Conflict {
  constructor() {
    super("The operator's chain key is being changed right now.", 'rotating');
  }
}

/** Some accounts obey the new key and some do not yet. Both keys are kept until all do. */
export class RotationUnsettled extends DomainError {
  constructor() {
    super({
      code: 'chain_unavailable',
      status: 503,
      message: 'The rotation has begun, and the chain did not take all of it in time. The service finishes it by itself; meanwhile everything works with both keys.',
      headers: { 'Retry-After': '5' },
    });
  }
}
