import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { CreateKeyCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { KeySources } from '../../apps/api/src/key-sources';
import { eventually } from '../support/eventually';
import { pythonTools } from '../support/python-tools';

jest.setTimeout(300_000);

const PORT = 45_731;
const AWS = {
  AWS_ENDPOINT_URL: `http://127.0.0.1:${PORT}`,
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'a',
  AWS_SECRET_ACCESS_KEY: 'b',
};

/** `moto` answers as AWS KMS does. */
let moto: ChildProcess;
beforeAll(async () => {
  Object.assign(process.env, AWS);
  moto = spawn(join(pythonTools(), 'moto_server'), ['-p', String(PORT)], { stdio: 'ignore' });
  await eventually(async () => expect((await fetch(AWS.AWS_ENDPOINT_URL)).status).toBe(200), { timeoutMs: 60_000 });
});
afterAll(() => void moto.kill());

test('a key that AWS KMS has encrypted is decrypted at the start, and anything else is refused', async () => {
  const kms = new KMSClient({});
  const key = randomBytes(32);
  const { KeyMetadata } = await kms.send(new CreateKeyCommand({}));
  const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId: KeyMetadata?.KeyId ?? '', Plaintext: key }));
  const setting = { OPERATOR_KEY_ENCRYPTION_KEY: `aws-kms:${Buffer.from(CiphertextBlob ?? []).toString('base64')}` };
  expect((await new KeySources(setting).resolve()).OPERATOR_KEY_ENCRYPTION_KEY).toBe(key.toString('base64'));
  await expect(new KeySources({ OPERATOR_KEY_ENCRYPTION_KEY: 'aws-kms:AAAA' }).resolve()).rejects.toThrow(
    /^OPERATOR_KEY_ENCRYPTION_KEY: AWS KMS: /,
  );
});
