import { Conflict } from '../http/domain.errors';

/** The session is not in a state that allows this. `status` says which it is in. */
export class SessionNotOpen extends Conflict {
  constructor(sessionId: string, status: string) {
    super(`The session is ${status}.`, status);
    Object.assign(this, { details: { ...this.details, session_id: sessionId } });
  }
}
