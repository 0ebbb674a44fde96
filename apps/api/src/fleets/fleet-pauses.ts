/** The rest of a pause of a fleet: the open purses of its members, which are to be ended. */
import { Injectable } from '@nestjs/common';
import type { Caller } from '../http/caller';
import type { Fleet } from './fleet.entity';

/** The members with an open purse, and the job that ends those purses. */
export interface Remaining {
  openPurses: number;
  jobId: string | null;
}

/** Begins to end the open purses of a paused fleet's members. Features right of this one know purses and jobs, and register it. */
type PauseListener = (caller: Caller, fleet: Fleet) => Promise<Remaining>;

@Injectable()
export class FleetPauses {
  private listener: PauseListener = async () => ({ openPurses: 0, jobId: null });

  register(listener: PauseListener): void {
    this.listener = listener;
  }

  /** Called once the chain has the pause. */
  begin(caller: Caller, fleet: Fleet): Promise<Remaining> {
    return this.listener(caller, fleet);
  }
}
