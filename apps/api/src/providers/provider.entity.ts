import { Column, Entity, PrimaryColumn } from 'typeorm';
import { MomentColumn } from '#database';

/** What an operator knows of a provider, and holds it to. */
@Entity('providers')
export class Provider {
  @PrimaryColumn('text')
  operatorId: string;

  /** Host, with its port where that is not the scheme's own. */
  @PrimaryColumn('text')
  host: string;

  /** Owner of the token account that it is paid at. */
  @Column('text')
  payee: string;

  /** What it may be paid for; null for anything. */
  @Column('jsonb')
  categories: string[] | null;

  @MomentColumn()
  createdAt: Date;

  @MomentColumn()
  updatedAt: Date;
}
