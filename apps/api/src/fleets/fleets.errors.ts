import { Conflict, DomainError } from '../http/domain.errors';

/** The fleet has members, which must leave first. */
export class FleetInUse extends Conflict {
  constructor(members: number) {
    super(`The fleet has ${members} member${members === 1 ? '' : 's'}: take them out first.`, 'active');
  }
}

/** `If-Match` named another version than the limits have. */
export class LimitsVersionOutdated extends DomainError {
  constructor(version: bigint) {
    super({
      code: 'precondition_failed',
      status: 412,
      message: `The limits have version ${version} by now: read them again.`,
      details: { version: Number(version) },
    });
  }
}

/** Concurrent changes of the limits landed first at every try. */
export class LimitsBusy extends Conflict {
  constructor() {
    super('The limits were changed by others at the same time, again and again. Nothing was changed: try again.', 'changing');
  }
}

/** The key of the creation was used with other parameters. */
export class FleetKeyConflict extends DomainError {
  constructor() {
    super({ code: 'idempotency_conflict', status: 409, message: 'This Idempotency-Key was used for another fleet.' });
  }
}
