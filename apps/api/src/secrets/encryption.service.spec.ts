import { randomBytes } from 'node:crypto';
import { Config } from '../runtime/config';
import { EncryptionService } from './encryption.service';

const config = Object.assign(new Config(), { KEY_ENCRYPTION_KEY: randomBytes(32), OPERATOR_KEY_ENCRYPTION_KEY: randomBytes(32) });
const sealing = new EncryptionService(config);
const secret = randomBytes(32);
const sealed = sealing.seal('account-authority', 'acct_1', secret);

test('a sealed secret opens for its owner and its purpose', () => {
  expect(sealing.unseal('account-authority', 'acct_1', sealed)).toEqual(secret);
});

test('moved to another row or another purpose it does not open', () => {
  expect(() => sealing.unseal('account-authority', 'acct_2', sealed)).toThrow('altered, or belongs to another row');
  expect(() => sealing.unseal('charge-key', 'acct_1', sealed)).toThrow('altered, or belongs to another row');
});

test('the key that spends does not open the key that changes limits', () => {
  expect(() => sealing.unseal('operator-chain-key', 'acct_1', sealed)).toThrow('was sealed under key');
});

test('under another key it says which one is missing, and not which one it is', () => {
  const other = new EncryptionService(Object.assign(new Config(), { KEY_ENCRYPTION_KEY: randomBytes(32) }));
  expect(() => other.unseal('account-authority', 'acct_1', sealed)).toThrow(
    /sealed under key [0-9a-f]{8}, and the service was started with key [0-9a-f]{8}/,
  );
});

test('with any one byte altered it does not open', () => {
  const [format, key, body = ''] = sealed.split('.');
  const bytes = Buffer.from(body, 'base64url');
  for (let index = 0; index < bytes.length; index++) {
    const altered = Buffer.from(bytes);
    altered[index] = (altered[index] ?? 0) ^ 1;
    expect(() => sealing.unseal('account-authority', 'acct_1', [format, key, altered.toString('base64url')].join('.'))).toThrow();
  }
});

test.each(['', 'v1', 'v2.a.b', `${sealed.split('.').slice(0, 2).join('.')}.AAAA`])('%j is no sealed secret', (text) => {
  expect(() => sealing.unseal('account-authority', 'acct_1', text)).toThrow();
});

test('the same secret sealed twice looks different', () => {
  expect(sealing.seal('account-authority', 'acct_1', secret)).not.toBe(sealed);
});
