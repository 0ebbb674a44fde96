import { nodeAddressIn, TokenBucket } from './node-address';

test.each([
  ['https://rpc.example.com/key', { url: 'https://rpc.example.com/key', name: 'rpc.example.com', rps: undefined }],
  ['paid=https://rpc.example.com/?k=a=b', { url: 'https://rpc.example.com/?k=a=b', name: 'paid', rps: undefined }],
  ['paid=http://10.0.0.1:8899;rps=50', { url: 'http://10.0.0.1:8899', name: 'paid', rps: 50 }],
  ['ws://rpc.example.com', undefined],
  ['paid=https://rpc.example.com;rps=0', undefined],
  ['paid=https://rpc.example.com;rate=5', undefined],
  ['a name=https://rpc.example.com', undefined],
])('%s', (text, address) => expect(nodeAddressIn(text)).toEqual(address));

test('a bucket gives a second’s calls at once, then one each time that one is filled, and a larger batch only from a full one', () => {
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const bucket = new TokenBucket(10);
  for (let count = 0; count < 10; count++) expect(bucket.take(1)).toBe(0);
  expect(bucket.take(1)).toBe(100);
  now = 99;
  expect(bucket.take(1)).toBeGreaterThan(0);
  now = 101;
  expect(bucket.take(1)).toBe(0);
  now = 1_000;
  expect(bucket.take(16)).toBeGreaterThan(0);
  now = 1_200;
  expect(bucket.take(16)).toBe(0);
  expect(bucket.take(1)).toBeGreaterThan(600);
});
