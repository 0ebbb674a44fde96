import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/** An account that an agent key may use. Foreign keys ensure that both belong to the same operator. */
@Entity('api_key_accounts')
export class ApiKeyAccount {
  @PrimaryColumn('text')
  keyId: string;

  @PrimaryColumn('text')
  accountId: string;

  @Column('text')
  operatorId: string;

  /** Its position in the list of the request, from 0. */
  @Column('smallint')
  position: number;

  /** The key, by the name of its entity, because an import would be a cycle. For TypeORM only. */
  @ManyToOne('ApiKey', 'accounts')
  @JoinColumn({ name: 'key_id' })
  key: object;
}
