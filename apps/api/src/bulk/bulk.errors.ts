import { Conflict, DomainError } from '../http/domain.errors';

/** The `Idempotency-Key` was used with other parameters. */
export class BulkKeyConflict extends DomainError {
  constructor() {
    super({
      code: 'idempotency_conflict',
      status: 409,
      message: 'This Idempotency-Key was used for a job with other parameters.',
    });
  }
}

/** The job is finished: there is nothing to cancel. */
export class JobFinished extends Conflict {
  constructor() {
    super('The job is finished: every account had its turn.', 'finished');
  }
}

/** The job was cancelled: what waited for a signature is not done any more. */
export class JobCancelled extends Conflict {
  constructor() {
    super('The job was cancelled: nothing waits for this signature any more.', 'cancelled');
  }
}
