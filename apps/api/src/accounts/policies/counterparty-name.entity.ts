import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How an operator named a counterparty, so that it is shown as given. Which counterparties are allowed is stored on chain. */
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
