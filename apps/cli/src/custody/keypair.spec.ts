import { verify } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { Keypair as SolanaKeypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { Keypair, readKeypair } from './keypair';

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'aps-keypair-'))));
afterEach(() => rmSync(directory, { recursive: true }));

function fileOf(content: string, mode = 0o600): string {
  const path = join(directory, 'id.json');
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

const solana = SolanaKeypair.generate();
const bytes = [...solana.secretKey];

test('a keypair file of solana-keygen is read, and its key signs', () => {
  const keypair = readKeypair(fileOf(JSON.stringify(bytes)));
  expect(keypair.address).toBe(solana.publicKey.toBase58());
  const x = Buffer.from(bs58.decode(keypair.address)).toString('base64url');
  const text = Buffer.from('a text');
  expect(verify(null, text, { key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }, keypair.sign(text))).toBe(true);
});

test.each([
  ['is missing', () => join(directory, 'absent.json'), 'There is no keypair file'],
  ['is readable by others', () => fileOf(JSON.stringify(bytes), 0o640), 'chmod 600'],
  ['is not JSON', () => fileOf('[18, 19, secret'), 'it is not JSON'],
  ['is an object', () => fileOf('{}'), 'not an array of 64 numbers'],
  ['is a seed alone', () => fileOf(JSON.stringify(bytes.slice(0, 32))), 'not an array of 64 numbers'],
  ['has a number above 255', () => fileOf(JSON.stringify([256, ...bytes.slice(1)])), 'from 0 to 255'],
  ['has a fraction', () => fileOf(JSON.stringify([1.5, ...bytes.slice(1)])), 'from 0 to 255'],
  ['has the public key of another seed', () => fileOf(JSON.stringify([...bytes.slice(0, 32), ...Array(32).fill(1)])), 'not the public key'],
  ['is longer than a keypair', () => fileOf(' '.repeat(4_097)), 'at most 4 KiB'],
  ['is a directory', () => (mkdirSync(join(directory, 'd')), join(directory, 'd')), 'it is no file'],
])('a keypair file that %s is refused, and the message says why', (_what, path, message) => {
  expect(() => readKeypair(path())).toThrow(message);
});

test('neither a message about a damaged file nor an inspected keypair shows secret bytes', () => {
  const damaged = fileOf(JSON.stringify(bytes).replace(/]$/, ', oops'));
  let message = '';
  try {
    readKeypair(damaged);
  } catch (error) {
    message = inspect(error);
  }
  expect(message).toContain('it is not JSON');
  expect(message).not.toContain(bytes.slice(0, 3).join(','));
  const seed = solana.secretKey.slice(0, 32);
  const shown = `${inspect(new Keypair(seed), { showHidden: true, depth: 5 })}${JSON.stringify(new Keypair(seed))}`;
  for (const encoding of ['hex', 'base64', 'base64url'] as const) expect(shown).not.toContain(Buffer.from(seed).toString(encoding));
  expect(shown).toContain(solana.publicKey.toBase58());
});
