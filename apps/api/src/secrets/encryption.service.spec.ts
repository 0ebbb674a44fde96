import { randomBytes } from 'node:crypto';
import { Config } from '../runtime/config';
import { EncryptionService } from './encryption.service';

const config = Object.assign(new Config(), { KEY_ENCRYPTION_KEY: randomBytes(32), OPERATOR_KEY_ENCRYPTION_KEY: randomBytes(32) });
const encryption = new EncryptionService(config);
const secret = randomBytes(32);
const sealed = encryption.seal('account-authority', 'acct_1', secret);

test('a sealed secret is decrypted for its owner and its purpose', () => {
  expect(encryption.unseal('account-authority', 'acct_1', sealed)).toEqual(secret);
});

test('a sealed secret is not decrypted for another row or another purpose', () => {
  expect(() => encryption.unseal('account-authority', 'acct_2', sealed)).toThrow('altered, or belongs to another row');
  expect(() => encryption.unseal('charge-key', 'acct_1', sealed)).toThrow('altered, or belongs to another row');
});

test('KEY_ENCRYPTION_KEY does not decrypt an operator chain key', () => {
  expect(() => encryption.unseal('operator-chain-key', 'acct_1', sealed)).toThrow('was sealed under key');
});

test('decrypting under another key fails with the ids of both keys and reveals neither', () => {
  const other = new EncryptionService(Object.assign(new Config(), { KEY_ENCRYPTION_KEY: randomBytes(32) }));
  expect(() => other.unseal('account-authority', 'acct_1', sealed)).toThrow(
    /sealed under key [0-9a-f]{8}, and the service was started with key [0-9a-f]{8}/,
  );
});

test('a sealed secret with any one byte altered is not decrypted', () => {
  const [format, key, body = ''] = sealed.split('.');
  const bytes = Buffer.from(body, 'base64url');
  for (let index = 0; index < bytes.length; index++) {
    const altered = Buffer.from(bytes);
    altered[index] = (altered[index] ?? 0) ^ 1;
    expect(() => encryption.unseal('account-authority', 'acct_1', [format, key, altered.toString('base64url')].join('.'))).toThrow();
  }
});

test.each(['', 'v1', 'v2.a.b', `${sealed.split('.').slice(0, 2).join('.')}.AAAA`])('unseal rejects the malformed text %j', (text) => {
  expect(() => encryption.unseal('account-authority', 'acct_1', text)).toThrow();
});

test('the same secret sealed twice gives two texts', () => {
  expect(encryption.seal('account-authority', 'acct_1', secret)).not.toBe(sealed);
});
