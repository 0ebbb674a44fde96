import { Column, CreateDateColumn, PrimaryColumn, type ColumnOptions, type ValueTransformer } from 'typeorm';

/** PostgreSQL's bigint reaches JavaScript as text, because a number could not hold it. */
export const bigintTransformer: ValueTransformer = {
  to: (value: bigint | null | undefined) => (typeof value === 'bigint' ? value.toString() : value),
  from: (value: string | null | undefined) => (typeof value === 'string' ? BigInt(value) : value),
};

/** A prefixed, sortable id made by `newId`. */
export const IdColumn = (): PropertyDecorator => PrimaryColumn({ type: 'text' });

/** A whole number too large for a JavaScript number: a `bigint` on both sides. */
export const BigintColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  Column({ ...options, type: 'bigint', transformer: bigintTransformer });

/** Money, in micro-USDC. */
export const MicroUsdcColumn = BigintColumn;

/** A moment, `timestamptz` in SQL and a `Date` here. */
export const MomentColumn = (options: ColumnOptions = {}): PropertyDecorator => Column({ ...options, type: 'timestamptz' });

/** When the row was made. Give it the service's clock; the database's is the fallback. */
export const CreatedAtColumn = (): PropertyDecorator => CreateDateColumn({ type: 'timestamptz' });
