import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { ApiKey } from './api-key.entity';

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

  @ManyToOne(() => ApiKey, (key) => key.accounts)
  @JoinColumn({ name: 'key_id' })
  key: Relation<ApiKey>;
}
