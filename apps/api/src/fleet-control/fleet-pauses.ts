/** The rest of a pause of a fleet: the open purses of its members, which a bulk job ends. */
import { Injectable } from '@nestjs/common';
import { Memberships } from '../accounts';
import { BulkJobsService } from '../bulk';
import type { Caller } from '../http/caller';
import { PurseStore } from '../purses';

/** The number of open purses, and the job that ends them. */
export interface Remaining {
  openPurses: number;
  jobId: string | null;
}

@Injectable()
export class FleetPauses {
  constructor(
    private readonly memberships: Memberships,
    private readonly purses: PurseStore,
    private readonly jobs: BulkJobsService,
  ) {}

  /** Begins to end the open purses of a fleet's members. Called once the chain has the pause. */
  async begin(caller: Caller, fleetId: string): Promise<Remaining> {
    const open = await this.purses.openCounts(await this.memberships.memberIds(caller.operatorId, [fleetId]));
    if (open.size === 0) return { openPurses: 0, jobId: null };
    const jobId = await this.jobs.endPurses(caller, [...open.keys()]);
    return { openPurses: [...open.values()].reduce((sum, count) => sum + count, 0), jobId };
  }
}
