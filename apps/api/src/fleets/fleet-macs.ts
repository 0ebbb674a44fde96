/** Message authentication codes of fleets: an agent key for a fleet, and what a member signs, go by the addresses that the service stored. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { hydrate, type Row } from '#database';
import { RowMacs } from '../secrets';
import { Fleet } from './fleet.entity';

const BATCH = 500;

type Addressed = Pick<Fleet, 'id' | 'operatorId' | 'creator' | 'chainAddress'>;

@Injectable()
export class FleetMacs implements OnModuleInit {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly macs: RowMacs,
  ) {}

  onModuleInit(): void {
    this.macs.register((options) => this.rewrite(options));
  }

  /** The code of a fleet: over its owner and its addresses. */
  of(fleet: Addressed): Buffer {
    return this.macs.of('fleet', factsOf(fleet));
  }

  /** Whether the service stored owner and addresses as they are. */
  isGenuine(fleet: Addressed & Pick<Fleet, 'mac'>): boolean {
    return this.macs.isGenuine('fleet', factsOf(fleet), fleet.mac);
  }

  /** Writes the code of every fleet that is genuine under the previous key under the present one. Returns how many were written. */
  private async rewrite({ areTrusted }: { areTrusted: boolean }): Promise<number> {
    let written = 0;
    let after = '';
    for (;;) {
      const rows: Row[] = await this.database.query(`SELECT * FROM fleets WHERE id > $1 ORDER BY id LIMIT ${BATCH}`, [after]);
      for (const fleet of rows.map((row) => hydrate(this.database, Fleet, row))) {
        const mac = this.macs.renewed('fleet', factsOf(fleet), fleet.mac, areTrusted);
        after = fleet.id;
        if (!mac) continue;
        await this.database.query('UPDATE fleets SET mac = $2 WHERE id = $1 AND mac = $3', [fleet.id, mac, fleet.mac]);
        written++;
      }
      if (rows.length < BATCH) return written;
    }
  }
}

function factsOf({ id, operatorId, creator, chainAddress }: Addressed): unknown[] {
  return [id, operatorId, creator, chainAddress];
}
