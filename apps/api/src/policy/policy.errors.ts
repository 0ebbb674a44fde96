import { Conflict, DomainError } from '../http/domain.errors';

/** `If-Match` named another version than the policy has. */
export class PolicyVersionOutdated extends DomainError {
  constructor(version: bigint) {
    super({
      code: 'precondition_failed',
      status: 412,
      message: `The policy has version ${version} by now: read it again.`,
      details: { version: Number(version) },
    });
  }
}

/** Concurrent changes of the policy landed first at every try. */
export class PolicyBusy extends Conflict {
  constructor() {
    super('The policy was changed by others at the same time, again and again. Nothing was changed: try again.', 'changing');
  }
}
