import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LocalSigner } from '#chain';
import { readFileIfAny, writePrivateFile } from './private-file';

const FILES = {
  KEY_ENCRYPTION_KEY: { name: 'key-encryption-key', create: newKey },
  OPERATOR_KEY_ENCRYPTION_KEY: { name: 'operator-key-encryption-key', create: newKey },
  FEE_PAYER_KEY: { name: 'fee-payer.json', create: newKeypair },
  MINT_AUTHORITY_KEY: { name: 'mint-authority.json', create: newKeypair },
} as const;

/** The sandbox's keys, each in its own file that is created at the first start. Keys that the environment sets are left out. */
export function sandboxKeys(dataDir: string, given: NodeJS.ProcessEnv): Record<string, string> {
  const missing = Object.entries(FILES).filter(([variable]) => !given[variable]);
  return Object.fromEntries(missing.map(([variable, { name, create }]) => [variable, keyIn(join(dataDir, 'keys', name), create)]));
}

/** The keypair whose address is the test mint. */
export function testMintKey(dataDir: string): Uint8Array {
  const numbers: unknown = JSON.parse(keyIn(join(dataDir, 'keys', 'test-mint.json'), newKeypair));
  return Uint8Array.from(Array.isArray(numbers) ? numbers.map(Number) : []);
}

function keyIn(path: string, create: () => string): string {
  if (!existsSync(path)) writePrivateFile(path, `${create()}\n`);
  return readFileIfAny(path)?.trim() ?? '';
}

function newKey(): string {
  return randomBytes(32).toString('base64');
}

/** A keypair in the format of Solana's tools: 32 bytes of seed and 32 bytes of public key, as a JSON array. */
function newKeypair(): string {
  const { seed, signer } = LocalSigner.generate();
  return JSON.stringify([...seed, ...signer.publicKey]);
}
