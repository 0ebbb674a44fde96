import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The name by which an operator gave a counterparty. The chain stores which counterparties are allowed. */
@Entity('counterparty_names')
export class CounterpartyName {
  @PrimaryColumn('text')
  accountId: string;

  /** Base58, as in the policy on chain. */
  @PrimaryColumn('text')
  address: string;

  /** An account id, or the address itself. */
  @Column('text')
  given: string;

  /** Its place in the last list that named it, from 0. */
  @Column('integer')
  place: number;
}
