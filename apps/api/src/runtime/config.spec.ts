import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig, readEnvironment } from './config-loader';

const key = (): string => randomBytes(32).toString('base64');
const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
const keypair = [...Buffer.from(d, 'base64url'), ...Buffer.from(x, 'base64url')];
const complete = {
  DATABASE_URL: 'postgres://user:secret@localhost/db',
  SOLANA_RPC_URL: 'http://localhost:8899, https://second.example',
  KEY_ENCRYPTION_KEY: key(),
  OPERATOR_KEY_ENCRYPTION_KEY: key(),
  FEE_PAYER_KEY: JSON.stringify(keypair),
};

test.each([
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['PORT', '80.5'],
  ['PORT', 'http'],
  ['HOST', 'two words'],
  ['DATABASE_URL', 'mysql://secret@host/db'],
  ['DATABASE_URL', 'secret'],
  ['REDIS_URL', 'http://secret'],
  ['SOLANA_RPC_URL', 'http://one,secret'],
  ['SOLANA_RPC_URL', ','],
  ['SEND_RPC_URLS', 'https://one,secret'],
  ['SOLANA_WS_URL', 'http://secret'],
  ['SOLANA_WS_URL', 'wss://one,secret'],
  ['USDC_MINT', 'secret0OIl'],
  ['PROGRAM_ID', '1111'],
  ['SETTLEMENT_COMMITMENT', 'processed'],
  ['SETTLEMENT_WAIT_MS', '120001'],
  ['RPC_TIMEOUT_MS', '99'],
  ['KEY_ENCRYPTION_KEY', randomBytes(31).toString('base64')],
  ['KEY_ENCRYPTION_KEY', 'secret'],
  ['OPERATOR_KEY_ENCRYPTION_KEY', randomBytes(33).toString('base64')],
  ['FEE_PAYER_KEY', '/no/such/secret'],
  ['FEE_PAYER_KEY', JSON.stringify(keypair.slice(1))],
  ['FEE_PAYER_KEY', JSON.stringify([...keypair.slice(0, 63), ((keypair[63] ?? 0) + 1) % 256])],
  ['FEE_PAYER_KEYS', `${JSON.stringify(keypair)},/no/such/secret`],
  ['FEE_PAYER_KEYS', Array.from({ length: 33 }, () => JSON.stringify(keypair)).join(',')],
  ['EXPLORER_URL_TEMPLATE', 'https://explorer.example/secret'],
  ['ALLOW_PRIVATE_URLS', 'maybe'],
  ['WEBHOOK_RETRY_SECONDS', '30,soon'],
  ['WEBHOOK_RETRY_SECONDS', '86401'],
  ['WEBHOOK_TIMEOUT_MS', '99'],
  ['LOG_LEVEL', 'loud'],
  ['WORKER', 'both'],
])('an invalid %s (%s) stops the start with one sentence that names the variable and not its value', (name, value) => {
  const start = (): unknown => readConfig({ ...complete, [name]: value });
  expect(start).toThrow(new RegExp(`^${name} must [^\n]*\\.$`));
  expect(start).not.toThrow(value.slice(0, 40).length > 3 && name !== 'SETTLEMENT_COMMITMENT' ? value : 'secret');
});

test.each(Object.keys(complete))('a service outside the sandbox does not start without %s', (name) => {
  expect(() => readConfig({ ...complete, [name]: undefined })).toThrow(new RegExp(`^${name} is missing`));
});

test('KEY_ENCRYPTION_KEY and OPERATOR_KEY_ENCRYPTION_KEY must differ', () => {
  expect(() => readConfig({ ...complete, OPERATOR_KEY_ENCRYPTION_KEY: complete.KEY_ENCRYPTION_KEY })).toThrow('must differ');
});

test('every invalid variable is reported at once', () => {
  expect(() => readEnvironment({ PORT: 'x', LOG_LEVEL: 'y' })).toThrow(/PORT must.*\nLOG_LEVEL must/);
});

test('an empty variable counts as missing, and an unknown one is ignored', () => {
  expect(readEnvironment({ PORT: '', DATABASE_URL: '', HOME: '/' })).toMatchObject({ PORT: 3000, DATABASE_URL: undefined });
});

test('a complete environment is read into numbers, lists and bytes', () => {
  expect(readConfig({ ...complete, PORT: '8080' })).toMatchObject({
    PORT: 8080,
    SOLANA_RPC_URL: ['http://localhost:8899', 'https://second.example'],
    KEY_ENCRYPTION_KEY: Buffer.from(complete.KEY_ENCRYPTION_KEY, 'base64'),
    FEE_PAYER_KEY: Uint8Array.from(keypair),
    SETTLEMENT_COMMITMENT: 'confirmed',
  });
});

test('FEE_PAYER_KEY is read from a file where it is a path', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'aps-config-')), 'id.json');
  writeFileSync(path, JSON.stringify(keypair));
  expect(readConfig({ ...complete, FEE_PAYER_KEY: path }).FEE_PAYER_KEY).toEqual(Uint8Array.from(keypair));
});

test('FEE_PAYER_KEYS takes files, arrays and the names of keys in a key service, separated by commas', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'aps-config-')), 'id.json');
  writeFileSync(path, JSON.stringify(keypair));
  const given = `${path}, ${JSON.stringify(keypair)},vault:fee-payer`;
  const bytes = Uint8Array.from(keypair);
  expect(readConfig({ ...complete, FEE_PAYER_KEYS: given }).FEE_PAYER_KEYS).toEqual([bytes, bytes, 'vault:fee-payer']);
});
