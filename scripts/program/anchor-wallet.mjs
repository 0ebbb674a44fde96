// Writes the wallet that Anchor.toml names, unless it exists. Anchor requires one; the tests use other keys. `anchor test` runs this first.
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const target = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'target');
const wallet = join(target, 'test-wallet.json');

mkdirSync(target, { recursive: true });
if (!existsSync(wallet)) {
  // In the form of Solana's tools: 32 bytes of seed and 32 of public key.
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  writeFileSync(wallet, JSON.stringify([...Buffer.from(d, 'base64url'), ...Buffer.from(x, 'base64url')]), { mode: 0o600 });
}
