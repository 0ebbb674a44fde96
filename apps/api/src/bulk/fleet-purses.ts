/** The end of the purses that a paused fleet leaves open: a bulk job over the members that have one. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Memberships } from '../accounts';
import { FleetPauses } from '../fleets';
import { PurseStore } from '../purses';
import { BulkJobsService } from './bulk-jobs.service';

@Injectable()
export class FleetPurses implements OnModuleInit {
  constructor(
    private readonly pauses: FleetPauses,
    private readonly memberships: Memberships,
    private readonly purses: PurseStore,
    private readonly jobs: BulkJobsService,
  ) {}

  onModuleInit(): void {
    this.pauses.register(async (caller, { id, operatorId }) => {
      const open = await this.purses.openCounts(await this.memberships.memberIds(operatorId, [id]));
      if (open.size === 0) return { openPurses: 0, jobId: null };
      const jobId = await this.jobs.endPurses(caller, [...open.keys()]);
      return { openPurses: [...open.values()].reduce((sum, count) => sum + count, 0), jobId };
    });
  }
}
