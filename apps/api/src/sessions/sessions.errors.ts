import { Conflict } from '../http/domain.errors';

/** An approval names the session and not the top-up, so one of them waits at a time. */
export class TopUpWaiting extends Conflict {
  constructor(sessionId: string) {
    super('A top-up of this session waits for an operator already.', 'pending_approval');
    Object.assign(this, { details: { ...this.details, session_id: sessionId } });
  }
}

/** The session is not in a state that allows this. `status` says which it is in. */
export class SessionNotOpen extends Conflict {
  constructor(sessionId: string, status: string) {
    super(`The session is ${status}.`, status);
    Object.assign(this, { details: { ...this.details, session_id: sessionId } });
  }
}
