import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChainUnavailableError, isSignedBy, LocalSigner } from '#chain';
import { AWS_SECRET, awsKms, gcpKms, type KeyServiceDouble, vault, VAULT_TOKEN } from '../../../../test/support/key-services';
import { KeySources } from '.';

const KEY = randomBytes(32);
const MESSAGE = Buffer.from('a transaction');
const VERSION = 'projects/p/locations/l/keyRings/r/cryptoKeys/fee-payer/cryptoKeyVersions/1';
const folder = mkdtempSync(join(tmpdir(), 'aps-keys-'));

const doubles: KeyServiceDouble[] = [];
const started = async (double: KeyServiceDouble): Promise<KeyServiceDouble> => {
  doubles.push(await double.start());
  return double;
};
const before = { ...process.env };
afterEach(() => {
  for (const double of doubles.splice(0)) double.stop();
  process.env = { ...before };
});

const inVault = (double: KeyServiceDouble) => ({ VAULT_ADDR: double.url, VAULT_TOKEN });
const inGcp = (double: KeyServiceDouble) => ({ GCP_KMS_ENDPOINT: double.url, GCE_METADATA_HOST: new URL(double.url).host });

describe('keys that are decrypted at the start', () => {
  test('come from a file, another variable, Vault, Google Cloud KMS or a module, and are taken as they are without a source', async () => {
    const [transit, gcp] = [await started(vault(KEY)), await started(gcpKms(KEY))];
    const [file, script] = [join(folder, 'key'), join(folder, 'unwrap.cjs')];
    writeFileSync(file, `${KEY.toString('base64')}\n`);
    writeFileSync(script, `module.exports = { unwrap: () => Buffer.from('${KEY.toString('hex')}', 'hex') };`);
    const sources = [
      `file:${file}`,
      'env:ELSEWHERE',
      'vault:wrap:vault:v1:sealed',
      'gcp-kms:projects/p/cryptoKeys/wrap:c2VhbGVk',
      `module:${script}`,
    ];
    const services = { ...inVault(transit), ...inGcp(gcp), ELSEWHERE: KEY.toString('base64') };
    for (const source of [...sources, KEY.toString('base64')])
      expect((await new KeySources({ ...services, KEY_ENCRYPTION_KEY: source }).resolve()).KEY_ENCRYPTION_KEY).toBe(KEY.toString('base64'));
  });

  test.each([
    [{ KEY_ENCRYPTION_KEY: 'file:/nowhere' }, /^KEY_ENCRYPTION_KEY: the file \/nowhere cannot be read/],
    [{ KEY_ENCRYPTION_KEY: 'env:UNSET' }, /^KEY_ENCRYPTION_KEY: the variable UNSET is not set/],
    [{ OPERATOR_KEY_ENCRYPTION_KEY: 'vault:wrap:other' }, /^OPERATOR_KEY_ENCRYPTION_KEY: a key of Vault is/],
    [{ KEY_ENCRYPTION_KEY: 'vault:wrap:vault:v1:cut' }, /^KEY_ENCRYPTION_KEY: Vault answered 400: .*invalid ciphertext/],
    [{ KEY_ENCRYPTION_KEY: 'vault:wrap:vault:v1:sealed', VAULT_TOKEN: 'wrong' }, /^KEY_ENCRYPTION_KEY: Vault answered 403/],
    [{ KEY_ENCRYPTION_KEY: 'vault:wrap:vault:v1:sealed', VAULT_ADDR: '' }, /^KEY_ENCRYPTION_KEY: VAULT_ADDR is missing/],
    [{ KEY_ENCRYPTION_KEY: 'module:/nowhere.cjs' }, /^KEY_ENCRYPTION_KEY: module:\/nowhere.cjs cannot be loaded/],
  ])('%j stops the start with a sentence that names the setting', async (settings, sentence) => {
    await expect(new KeySources({ ...inVault(await started(vault())), ...settings }).resolve()).rejects.toThrow(sentence);
  });

  test('a key of another length is refused', async () => {
    const short = await started(vault(randomBytes(16)));
    const settings = { ...inVault(short), KEY_ENCRYPTION_KEY: 'vault:wrap:vault:v1:sealed' };
    await expect(new KeySources(settings).resolve()).rejects.toThrow('the key has 16 bytes and not 32');
  });
});

/** Each service with the value that names its signing key. */
const SIGNING: [string, () => KeyServiceDouble, (double: KeyServiceDouble) => NodeJS.ProcessEnv, string][] = [
  ['Vault', vault, inVault, 'vault:fee-payer'],
  ['Google Cloud KMS', gcpKms, inGcp, `gcp-kms:${VERSION}`],
  [
    'AWS KMS',
    awsKms,
    (double) => ({
      AWS_ENDPOINT_URL: double.url,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: AWS_SECRET,
    }),
    'aws-kms:alias/fee-payer',
  ],
];

describe.each(SIGNING)('a key in %s', (_name, create, variables, key) => {
  let double: KeyServiceDouble;
  let keySources: KeySources;
  beforeEach(async () => {
    double = await started(create());
    Object.assign(process.env, variables(double));
    keySources = new KeySources({ ...process.env });
  });

  test('signs there, and each signature is verified', async () => {
    const signer = await keySources.signerOf('FEE_PAYER_KEY', key);
    expect(signer.address).toBe(double.signer.address);
    expect(isSignedBy(signer.address, MESSAGE, await signer.sign(MESSAGE))).toBe(true);
    double.impostor = LocalSigner.generate().signer;
    await expect(signer.sign(MESSAGE)).rejects.toThrow(ChainUnavailableError);
  });

  test('that signs for another key is found at the start', async () => {
    double.impostor = LocalSigner.generate().signer;
    await expect(keySources.signerOf('FEE_PAYER_KEY', key)).rejects.toThrow(/^FEE_PAYER_KEY: the signature of .* is not of its public key/);
  });

  test('that is disabled, or of another kind, is found at the start', async () => {
    double.fail = { status: 400, body: { __type: 'DisabledException', errors: ['disabled'] } };
    await expect(keySources.signerOf('FEE_PAYER_KEY', key)).rejects.toThrow(/^FEE_PAYER_KEY: /);
    double.fail = undefined;
    await expect(keySources.signerOf('FEE_PAYER_KEY', key.replace(/fee-payer/, 'other'))).rejects.toThrow(/^FEE_PAYER_KEY: /);
  });

  test('waits while the service is busy, and says that nothing was sent where it stays so', async () => {
    const signer = await keySources.signerOf('FEE_PAYER_KEY', key);
    double.busyFor = 2;
    expect(isSignedBy(signer.address, MESSAGE, await signer.sign(MESSAGE))).toBe(true);
    double.stop();
    await expect(signer.sign(MESSAGE)).rejects.toThrow(ChainUnavailableError);
  });
});

test('a module of the operator signs', async () => {
  const script = join(folder, 'sign.cjs');
  const { seed, signer } = LocalSigner.generate();
  const pkcs8 = `302e020100300506032b657004220420${Buffer.from(seed).toString('hex')}`;
  writeFileSync(
    script,
    `const { createPrivateKey, sign } = require('node:crypto');
     const key = createPrivateKey({ key: Buffer.from('${pkcs8}', 'hex'), format: 'der', type: 'pkcs8' });
     exports.publicKey = Buffer.from('${Buffer.from(signer.publicKey).toString('hex')}', 'hex');
     exports.sign = (message) => sign(null, message, key);`,
  );
  const found = await new KeySources({}).signerOf('FEE_PAYER_KEY', `module:${script}`);
  expect(isSignedBy(signer.address, MESSAGE, await found.sign(MESSAGE))).toBe(true);
});
