// `npm run bench`: the bare web3.js client beside POST /v1/transfers, on the embedded chain and, if it is installed, on
// solana-test-validator. Prints tables; asserts nothing.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const require = createRequire(import.meta.url);
const { Connection, Keypair, PublicKey, Transaction, sendAndConfirmTransaction } = require('@solana/web3.js');
const { createTransferCheckedInstruction, getOrCreateAssociatedTokenAccount, mintTo } = require('@solana/spl-token');
const { LocalSigner, PROGRAM_ADDRESS, PROGRAM_FILE, createTestMint } = require('../dist/libs/chain/src/index.js');

const PAYERS = 16;
const CONCURRENCY = 32;
const VALIDATOR_PORT = 18_899;
/** A validator confirms twice a second, so fewer there. */
const COUNTS = { embedded: { sequential: 300, concurrent: 3_000 }, validator: { sequential: 40, concurrent: 640 } };

const directory = mkdtempSync(join(tmpdir(), 'aps-bench-'));
const children = [];

/** Starts a process and waits until it prints `sign`, or until `isReady` returns true. */
async function start(program, args, { env = {}, sign, isReady }) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${output}`);
    if (sign ? output.includes(sign) : await isReady().catch(() => false)) return child;
    await pause(100);
  }
  throw new Error(`${program} did not start: ${output}`);
}

async function stopAll() {
  for (const child of children.splice(0).reverse()) {
    if (child.exitCode !== null) continue;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    await ended;
  }
}

const agent = new http.Agent({ keepAlive: true, maxSockets: CONCURRENCY });

/** One request on a keep-alive connection; `fetch` would cost more than the service does. */
function call({ baseUrl, key }, method, path, body) {
  const { hostname, port } = new URL(baseUrl);
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const request = http.request({ agent, hostname, port, path, method, headers }, (response) => {
      let answer = '';
      response.on('data', (chunk) => (answer += chunk));
      response.on('end', () => (response.statusCode < 300 ? resolve(JSON.parse(answer)) : reject(new Error(answer))));
    });
    request.on('error', reject);
    request.end(text);
  });
}

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function sequentially(count, work) {
  const times = [];
  for (let index = 0; index < count; index++) times.push(await timed(() => work(index)));
  return times;
}

async function concurrently(count, work) {
  const times = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) times.push(await timed(() => work(index)));
  };
  const took = await timed(() => Promise.all(Array.from({ length: CONCURRENCY }, worker)));
  return { times, perSecond: count / (took / 1000) };
}

function percentiles(times) {
  const sorted = [...times].sort((one, other) => one - other);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(1);
  return { 'p50 ms': at(0.5), 'p95 ms': at(0.95), 'p99 ms': at(0.99) };
}

/** Sign, send, confirm: the client without a service. */
async function bareClient(sandbox, mintAuthority, count) {
  const connection = new Connection(sandbox.rpc_url, { commitment: 'confirmed', wsEndpoint: sandbox.ws_url });
  const payer = Keypair.generate();
  await connection.confirmTransaction({
    signature: await connection.requestAirdrop(payer.publicKey, 1e10),
    ...(await connection.getLatestBlockhash()),
  });
  const mint = new PublicKey(sandbox.usdc_mint);
  const from = await getOrCreateAssociatedTokenAccount(connection, payer, mint, payer.publicKey, false, 'confirmed');
  const to = await getOrCreateAssociatedTokenAccount(connection, payer, mint, Keypair.generate().publicKey, false, 'confirmed');
  await mintTo(connection, payer, mint, from.address, Keypair.fromSecretKey(mintAuthority), 1_000_000_000n, [], {
    commitment: 'confirmed',
  });
  return sequentially(count, (index) => {
    const transfer = createTransferCheckedInstruction(from.address, mint, to.address, payer.publicKey, BigInt(index + 1), 6);
    return sendAndConfirmTransaction(connection, new Transaction().add(transfer), [payer], { commitment: 'confirmed' });
  });
}

async function measure(chain, environment, mintAuthorityFile) {
  const dataDir = join(directory, chain);
  const service = await start(process.execPath, ['dist/apps/api/src/bin/server.js'], {
    env: { PORT: '0', LOG_LEVEL: 'warn', DATA_DIR: dataDir, ...environment },
    sign: '\nready\n',
  });
  const sandbox = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'));
  const mintAuthority = Uint8Array.from(
    JSON.parse(environment.MINT_AUTHORITY_KEY ?? readFileSync(join(dataDir, mintAuthorityFile), 'utf8')),
  );
  const client = { baseUrl: sandbox.base_url, key: sandbox.operator_key };

  const accounts = await Promise.all(
    Array.from({ length: PAYERS + 1 }, (_, index) => call(client, 'POST', '/v1/accounts', { name: `bench ${index}` })),
  );
  const [receiver, ...payers] = accounts.map(({ account_id }) => account_id);
  await Promise.all(payers.map((account_id) => call(client, 'POST', '/v1/sandbox/faucet', { account_id, amount: '10000' })));
  const pay = (index) =>
    call(client, 'POST', '/v1/transfers', { from: payers[index % PAYERS], to: receiver, amount: '0.01', idempotency_key: randomUUID() });

  await concurrently(PAYERS * 4, pay); // warm
  const { sequential, concurrent } = COUNTS[chain];
  const bare = await bareClient(sandbox, mintAuthority, sequential);
  const one = await sequentially(sequential, pay);
  const many = await concurrently(concurrent, pay);
  const residentMib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1] / 1024;

  console.log(`\n${chain === 'embedded' ? 'Embedded chain' : 'solana-test-validator'} (Node ${process.version})`);
  console.table({
    [`web3.js, one at a time (${sequential})`]: percentiles(bare),
    [`POST /v1/transfers, one at a time (${sequential})`]: percentiles(one),
    [`POST /v1/transfers, ${CONCURRENCY} at a time over ${PAYERS} accounts (${concurrent})`]: {
      ...percentiles(many.times),
      'settled/s': many.perSecond.toFixed(0),
    },
  });
  console.log(`API + worker: ${residentMib.toFixed(0)} MiB resident`);
  await stopAll();
}

const keypairOf = ({ signer, seed }) => JSON.stringify([...seed, ...signer.publicKey]);

/** A validator, and the settings that point the service at it. */
async function startValidator() {
  const rpcUrl = `http://127.0.0.1:${VALIDATOR_PORT}`;
  const args = [
    '--reset',
    '--quiet',
    '--ledger',
    join(directory, 'ledger'),
    '--rpc-port',
    String(VALIDATOR_PORT),
    '--faucet-port',
    String(VALIDATOR_PORT + 50),
    '--bpf-program',
    PROGRAM_ADDRESS,
    PROGRAM_FILE,
  ];
  await start('solana-test-validator', args, { isReady: async () => (await new Connection(rpcUrl).getSlot('finalized')) >= 0 });
  const [feePayer, mint, mintAuthority] = [LocalSigner.generate(), LocalSigner.generate(), LocalSigner.generate()];
  const webSocketUrl = `ws://127.0.0.1:${VALIDATOR_PORT + 1}`;
  await createTestMint({ rpcUrl, feePayer: feePayer.signer, mint: mint.signer, mintAuthority: mintAuthority.signer.address });
  return {
    SOLANA_RPC_URL: rpcUrl,
    SOLANA_WS_URL: webSocketUrl,
    USDC_MINT: mint.signer.address,
    FEE_PAYER_KEY: keypairOf(feePayer),
    MINT_AUTHORITY_KEY: keypairOf(mintAuthority),
    KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    OPERATOR_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
}

try {
  await measure('embedded', {}, 'keys/mint-authority.json');
  if (spawnSync('solana-test-validator', ['--version']).status === 0) await measure('validator', await startValidator());
  else console.log('\nsolana-test-validator is not on the PATH: its table is left out.');
} finally {
  await stopAll();
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}
process.exit();
