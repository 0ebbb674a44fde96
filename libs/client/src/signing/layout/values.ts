/** Reads values as the program's interface lays them out: borsh, for the types that the operator's instructions have. */
import type { Bytes } from './bytes';
import type { FieldLayout, ValueLayout } from './layout';
import { ENUMS } from '../layouts';

/** The values of the fields, by their names. @throws UnreadableTransactionError */
export function readFields(bytes: Bytes, fields: readonly FieldLayout[]): Record<string, unknown> {
  return Object.fromEntries(fields.map(({ name, type }) => [name, readValue(bytes, type)]));
}

function readValue(bytes: Bytes, type: ValueLayout): unknown {
  if (typeof type === 'object') {
    if ('bytes' in type) return bytes.take(type.bytes);
    if ('option' in type) return bytes.bool() ? readValue(bytes, type.option) : null;
    if ('vec' in type) return readList(bytes, type.vec);
    return readEnum(bytes, type.defined);
  }
  switch (type) {
    case 'u8':
      return bytes.number(1);
    case 'u16':
      return bytes.number(2);
    case 'u32':
      return bytes.number(4);
    case 'u64':
      return bytes.bigint(8);
    case 'bool':
      return bytes.bool();
    case 'pubkey':
      return bytes.address();
    case 'bytes':
      return bytes.take(bytes.number(4));
  }
}

/** Each entry has at least a byte: a length beyond the bytes that are left is refused before it is counted to. */
function readList(bytes: Bytes, entry: ValueLayout): unknown[] {
  const length = bytes.number(4);
  if (length > bytes.left) bytes.fail(`a list of ${length} entries does not fit`);
  return Array.from({ length }, () => readValue(bytes, entry));
}

function readEnum(bytes: Bytes, name: string): object {
  const number = bytes.number(1);
  const variant = ENUMS[name]?.[number];
  if (!variant) return bytes.fail(`${name} has no variant ${number}`);
  return { kind: variant.kind, ...readFields(bytes, variant.fields) };
}
