/** The filters of `getProgramAccounts` and `programSubscribe`. */
import { fromBase58 } from '../wire/bytes';
import type { AccountState } from '../machine';
import { tokenAccountOf } from '../wire/tokens';
import { invalidParams } from './errors';
import { Params, unknownVariant, type Config } from './params';

const MOST_FILTERS = 4;
const VARIANTS = ['dataSize', 'memcmp', 'tokenAccountState'] as const;

/** Returns whether an account passes all the filters. */
export function accountFilter(filters: unknown[]): (account: AccountState) => boolean {
  if (filters.length > MOST_FILTERS) throw invalidParams(`Too many filters provided; max ${MOST_FILTERS}`);
  const tests = filters.map(testOf);
  return (account) => tests.every((test) => test(account));
}

function testOf(filter: unknown): (account: AccountState) => boolean {
  if (filter === 'tokenAccountState') return (account) => tokenAccountOf(account) !== undefined;
  const config = new Params([filter]).config(0);
  const unknown = config.names.find((name) => !VARIANTS.some((variant) => variant === name));
  if (unknown !== undefined) throw unknownVariant(unknown, VARIANTS);
  const size = config.number('dataSize');
  if (size !== undefined) return (account) => account.data.length === size;
  const memcmp = config.object('memcmp');
  if (!memcmp) throw invalidParams('Invalid params: a filter is empty.');
  const offset = memcmp.number('offset') ?? 0;
  const bytes = bytesToCompare(memcmp);
  return (account) => account.data.subarray(offset, offset + bytes.length).equals(bytes);
}

function bytesToCompare(memcmp: Config): Buffer {
  const text = memcmp.string('bytes') ?? '';
  if (memcmp.oneOf('encoding', ['base58', 'base64']) === 'base64') return Buffer.from(text, 'base64');
  try {
    return fromBase58(text);
  } catch {
    throw invalidParams('Invalid param: data in memcmp is not base58');
  }
}
