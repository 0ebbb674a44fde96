// `node scripts/compose-env.mjs > .env`: new random values for every secret of docker-compose.yml, for a chain of its own.
import { generateKeyPairSync, randomBytes } from 'node:crypto';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** A keypair in the form of Solana's tools, and its address. */
function newKeypair() {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const publicKey = Buffer.from(x, 'base64url');
  return { json: JSON.stringify([...Buffer.from(d, 'base64url'), ...publicKey]), address: base58(publicKey) };
}

function base58(bytes) {
  let digits = '';
  for (let rest = BigInt(`0x${bytes.toString('hex')}`); rest > 0n; rest /= 58n) digits = ALPHABET[Number(rest % 58n)] + digits;
  return '1'.repeat(bytes.findIndex((byte) => byte !== 0)) + digits;
}

const [feePayer, mintAuthority, mint] = [newKeypair(), newKeypair(), newKeypair()];
console.log(`# For docker compose. Keep it to yourself, and keep it: the database cannot be read without it.
POSTGRES_PASSWORD=${randomBytes(24).toString('hex')}
KEY_ENCRYPTION_KEY=${randomBytes(32).toString('base64')}
OPERATOR_KEY_ENCRYPTION_KEY=${randomBytes(32).toString('base64')}
FEE_PAYER_KEY=${feePayer.json}
# On the validator of the compose file: setup creates the mint and funds the fee payer. Leave these out on another cluster.
MINT_AUTHORITY_KEY=${mintAuthority.json}
TEST_MINT_KEY=${mint.json}
USDC_MINT=${mint.address}
ALLOW_PRIVATE_URLS=true`);
