import { Column, Entity, PrimaryColumn } from 'typeorm';
import { MomentColumn } from '#database';

/** A provider that an operator has pinned. */
@Entity('providers')
export class Provider {
  @PrimaryColumn('text')
  operatorId: string;

  /** The host, with its port where it is not the default of the scheme. */
  @PrimaryColumn('text')
  host: string;

  /** The owner of the token account that is paid. */
  @Column('text')
  payee: string;

  /** The categories that it may be paid for; null for any. */
  @Column('jsonb')
  categories: string[] | null;

  /** The message authentication code of the pin; null for one from before there were codes. */
  @Column('bytea', { nullable: true })
  mac: Buffer | null;

  @MomentColumn()
  createdAt: Date;

  @MomentColumn()
  updatedAt: Date;
}
