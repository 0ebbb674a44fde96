import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/** A fleet whose members an agent key may use. Foreign keys ensure that both belong to the same operator. */
@Entity('api_key_fleets')
export class ApiKeyFleet {
  @PrimaryColumn('text')
  keyId: string;

  @PrimaryColumn('text')
  fleetId: string;

  @Column('text')
  operatorId: string;

  /** Its position in the list of the request, from 0. */
  @Column('smallint')
  position: number;

  /** The key, by the name of its entity, because an import would be a cycle. For TypeORM only. */
  @ManyToOne('ApiKey', 'fleets')
  @JoinColumn({ name: 'key_id' })
  key: object;
}
