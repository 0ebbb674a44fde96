import { redactedHeaders } from './redacted-headers';

const SHA256_OF_ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

test.each([
  'Authorization',
  'cookie',
  'Set-Cookie',
  'X-API-Key',
  'x-auth-token',
  'X-Amz-Security-Token',
  'apikey',
  'X-Session-Id',
  'Api_Key',
  'x-auth',
])('the value of %s is replaced by its SHA-256', (name) => expect(redactedHeaders({ [name]: 'abc' })).toEqual({ [name]: SHA256_OF_ABC }));

test.each(['Content-Type', 'www-authenticate', 'payment-required', 'payment-response', 'payment-receipt', 'x-author', 'keep-alive'])(
  'the value of %s stays as it came',
  (name) => expect(redactedHeaders({ [name]: 'abc' })).toEqual({ [name]: 'abc' }),
);
