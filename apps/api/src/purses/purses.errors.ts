import { Conflict } from '../http/domain.errors';

/** The purse is not in a state that allows this. `status` says which it is in. */
export class PurseNotOpen extends Conflict {
  constructor(purseId: string, status: string) {
    super(`The purse is ${status}.`, status);
    Object.assign(this, { details: { ...this.details, purse_id: purseId } });
  }
}

/** An account has one purse or charge open at a time. */
export class AnotherPurseOpen extends Conflict {
  constructor(purseId: string) {
    super('Another purse of this account is open: close it first, or pay out of it.', 'open');
    Object.assign(this, { details: { ...this.details, purse_id: purseId } });
  }
}

/** A charge of the account takes longer than a request waits. */
export class ChargeUnderWay extends Conflict {
  constructor() {
    super('A single payment of this account is under way. Nothing was sent: repeat the request with the same key.', 'failed');
    Object.assign(this, { headers: { 'Retry-After': '2' } });
  }
}

export const CHANNELS_ABSENT =
  'This chain carries no payment-channels program with a treasury for the mint: channel purses cannot be opened on it.';

/** The chain has no payment-channels, or no token account of its treasury: a channel would keep what it does not pay. */
export class ChannelsAbsent extends Conflict {
  constructor() {
    super(CHANNELS_ABSENT, 'unsupported');
  }
}
