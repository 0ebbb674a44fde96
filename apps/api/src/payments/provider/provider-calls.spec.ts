import { TooManyAtOnce } from '../../http/limits/rate-limit';
import { Config } from '../../runtime/config';
import { ProviderCalls } from './provider-calls';

const MIB = 1_048_576;
const BYTES = 100 * MIB;
const calls = () => new ProviderCalls(Object.assign(new Config(), { PROVIDER_ANSWER_BYTES: BYTES }));

test('calls whose answers fill the memory for answers exactly begin, and one byte more is 429', async () => {
  const counted = calls();
  await counted.begin('key_1', BYTES - MIB);
  const { end } = await counted.begin('key_2', MIB);
  expect(counted.hasRoom('key_3', 1)).toBe(false);
  await expect(counted.begin('key_3', 1)).rejects.toThrow(TooManyAtOnce);
  end();
  expect([counted.hasRoom('key_3', MIB), counted.hasRoom('key_3', MIB + 1)]).toEqual([true, false]);
});

test('a call waits for the memory of another, and takes none once its answer is passed on', async () => {
  const counted = calls();
  const first = await counted.begin('key_1', BYTES);
  const second = counted.begin('key_1', BYTES);
  first.release();
  first.release();
  first.end();
  await second;
  expect(counted.hasRoom('key_1', 1)).toBe(false);
});
