import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LocalSigner } from '#chain';
import { readFileIfAny, writePrivateFile } from './private-file';

const FILES = {
  KEY_ENCRYPTION_KEY: { name: 'key-encryption-key', make: newKey },
  OPERATOR_KEY_ENCRYPTION_KEY: { name: 'operator-key-encryption-key', make: newKey },
  FEE_PAYER_KEY: { name: 'fee-payer.json', make: newKeypair },
  MINT_AUTHORITY_KEY: { name: 'mint-authority.json', make: newKeypair },
} as const;

/** The sandbox's keys, each in a file of its own that is made at the first start. A key that is set is left alone. */
export function sandboxKeys(dataDir: string, given: NodeJS.ProcessEnv): Record<string, string> {
  const missing = Object.entries(FILES).filter(([variable]) => !given[variable]);
  return Object.fromEntries(missing.map(([variable, { name, make }]) => [variable, keyIn(join(dataDir, 'keys', name), make)]));
}

/** The keypair whose address is the test mint's. */
export function testMintKey(dataDir: string): Uint8Array {
  const numbers: unknown = JSON.parse(keyIn(join(dataDir, 'keys', 'test-mint.json'), newKeypair));
  return Uint8Array.from(Array.isArray(numbers) ? numbers.map(Number) : []);
}

function keyIn(path: string, make: () => string): string {
  if (!existsSync(path)) writePrivateFile(path, `${make()}\n`);
  return readFileIfAny(path)?.trim() ?? '';
}

function newKey(): string {
  return randomBytes(32).toString('base64');
}

/** A keypair in the form of Solana's own tools: 32 bytes of seed and 32 of public key, as a JSON array. */
function newKeypair(): string {
  const { seed, signer } = LocalSigner.generate();
  return JSON.stringify([...seed, ...signer.publicKey]);
}
