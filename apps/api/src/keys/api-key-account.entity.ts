import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/** An account that an agent key may use. Foreign keys hold both to the same operator. */
@Entity('api_key_accounts')
export class ApiKeyAccount {
  @PrimaryColumn('text')
  keyId: string;

  @PrimaryColumn('text')
  accountId: string;

  @Column('text')
  operatorId: string;

  /** Its place in the list as it was given, from 0. */
  @Column('smallint')
  position: number;

  /** The key, by the name of its entity: an import back would be a cycle. Nobody reads it from here. */
  @ManyToOne('ApiKey', 'accounts')
  @JoinColumn({ name: 'key_id' })
  key: object;
}
