/** How an interface lays out its instructions, as layouts.ts has them. */

/** `bytes`: so many, without a length before them. */
export type ValueLayout =
  | 'u8'
  | 'u16'
  | 'u32'
  | 'u64'
  | 'bool'
  | 'pubkey'
  | 'bytes'
  | { bytes: number }
  | { option: ValueLayout }
  | { vec: ValueLayout }
  | { defined: string };

export interface FieldLayout {
  name: string;
  type: ValueLayout;
}

/** A variant of an enum. */
export interface VariantLayout {
  kind: string;
  fields: readonly FieldLayout[];
}

/** `optional`: the program's own address stands for none. `address`, `isProgram`: it can only be this address, or the program's. */
export interface AccountLayout {
  name: string;
  optional?: boolean;
  address?: string;
  isProgram?: boolean;
}

export interface InstructionLayout<Name extends string> {
  name: Name;
  /** The first eight bytes of the data, in hexadecimal. */
  discriminator: string;
  accounts: readonly AccountLayout[];
  args: readonly FieldLayout[];
}
