// `npm run bench`: the bare web3.js client beside POST /v1/transfers, alternating in one run, on the embedded chain and, if it is
// installed, on solana-test-validator. Prints tables; asserts nothing. `--chain embedded`: that chain only; `--at 32`: that many at a
// time only; `--rounds 1`; `--fleet`: accounts outside of a fleet beside members of one, which all write the fleet, in place of the bare
// client; `--profile`: the functions and packages in which the API spends its time, and those times alone count.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { cpuOf, databaseCounters, ownCpu, profileLines } from './bench-meters.mjs';

const require = createRequire(import.meta.url);
const { Connection, Keypair, LAMPORTS_PER_SOL, PublicKey, Transaction, sendAndConfirmTransaction } = require('@solana/web3.js');
const { createTransferCheckedInstruction, getOrCreateAssociatedTokenAccount, mintTo } = require('@solana/spl-token');
const { LocalSigner, PROGRAM_ADDRESS, PROGRAM_FILE, createTestMint } = require('../../dist/libs/chain/src/index.js');

const { values: options } = parseArgs({
  options: {
    chain: { type: 'string' },
    at: { type: 'string' },
    rounds: { type: 'string' },
    profile: { type: 'boolean' },
    fleet: { type: 'boolean' },
  },
});

const PAYERS = 16;
const FEE_PAYERS = 4;
/** Transfers at a time, and how many of them one round makes. A validator confirms twice a second, so fewer there. */
const COUNTS = {
  embedded: { 1: 300, 32: 2_000, 256: 3_000 },
  validator: { 1: 20, 32: 320, 256: 768 },
};
/**
 * How many transfers at a time, and how many in all, each side makes before the first round: its code is compiled by then, as in a service
 * that has run for a minute.
 */
const WARM_UP = { embedded: [32, 3_000], validator: [32, 320] };
const ROUNDS = Number(options.rounds ?? 3);
/** Nodes and sockets that a client of 256 at a time needs. */
const MAX_SOCKETS = 256;
const VALIDATOR_PORT = 18_899;
const directory = mkdtempSync(join(tmpdir(), 'aps-bench-'));
const children = [];

/** Starts a process and waits until it prints `sign`, or until `isReady` returns true. */
async function start(program, args, { env = {}, sign, isReady }) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  for (let tries = 0; tries < 3_000; tries++) {
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

const agent = new http.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS });

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

/** Runs `work` so many times, `width` at a time. Returns the times of each, and of all. */
async function measured(width, count, work) {
  const times = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) times.push(await timed(() => work(index)));
  };
  const took = await timed(() => Promise.all(Array.from({ length: width }, worker)));
  return { times, took };
}

/** Accounts of a bare client: each pays its own fees. */
async function barePayers(sandbox, mintAuthority) {
  const connection = new Connection(sandbox.rpc_url, { commitment: 'confirmed', wsEndpoint: sandbox.ws_url });
  const mint = new PublicKey(sandbox.usdc_mint);
  const payers = [];
  for (let index = 0; index < PAYERS; index++) {
    const payer = Keypair.generate();
    await connection.confirmTransaction({
      signature: await connection.requestAirdrop(payer.publicKey, 1e10),
      ...(await connection.getLatestBlockhash()),
    });
    const from = await getOrCreateAssociatedTokenAccount(connection, payer, mint, payer.publicKey, false, 'confirmed');
    const to = await getOrCreateAssociatedTokenAccount(connection, payer, mint, Keypair.generate().publicKey, false, 'confirmed');
    await mintTo(connection, payer, mint, from.address, Keypair.fromSecretKey(mintAuthority), 1_000_000_000n, [], {
      commitment: 'confirmed',
    });
    payers.push({ payer, from: from.address, to: to.address });
  }
  return { connection, mint, payers, sent: 0n };
}

/** Sign, send, confirm: the client without a service. */
function payBare(bare, index) {
  const { payer, from, to } = bare.payers[index % PAYERS];
  bare.sent += 1n; // A different amount each time: equal transactions under one blockhash would be one.
  const transfer = createTransferCheckedInstruction(from, bare.mint, to, payer.publicKey, bare.sent, 6);
  return sendAndConfirmTransaction(bare.connection, new Transaction().add(transfer), [payer], { commitment: 'confirmed' });
}

async function barePaying(sandbox, mintAuthority) {
  const bare = await barePayers(sandbox, mintAuthority);
  return (index) => payBare(bare, index);
}

/** Payments of the members of one fleet, under its policy and its limits, to an account outside. */
async function fleetPaying(client) {
  const limits = { max_daily_spend: 1_000_000, max_monthly_spend: 1_000_000, max_lifetime_spend: 1_000_000 };
  const { fleet_id } = await call(client, 'POST', '/v1/fleets', { name: 'bench', policy: { max_single_transfer: 100 }, limits });
  const create = (name, more) => call(client, 'POST', '/v1/accounts', { name, ...more });
  const { account_id: to } = await create('receiver of a fleet');
  const members = await Promise.all(Array.from({ length: PAYERS }, (_, index) => create(`member ${index}`, { fleet_id })));
  const from = members.map(({ account_id }) => account_id);
  await Promise.all(from.map((account_id) => call(client, 'POST', '/v1/sandbox/faucet', { account_id, amount: '10000' })));
  return (index) =>
    call(client, 'POST', '/v1/transfers', { from: from[index % PAYERS], to, amount: '0.01', idempotency_key: randomUUID() });
}

const emptySide = () => ({ times: [], took: 0, count: 0, cpu: { api: 0, database: 0, chain: 0, client: 0 }, counters: {} });

function add(sums, after, before) {
  for (const name of Object.keys(after)) sums[name] = (sums[name] ?? 0) + after[name] - before[name];
}

/** One round of one side, added to its sums. */
async function round(side, width, count, { pay, meters }) {
  const [cpu, counters, client] = [meters.cpu(), await meters.counters(), ownCpu()];
  const { times, took } = await measured(width, count, pay);
  add(side.cpu, { ...meters.cpu(), client: ownCpu() }, { ...cpu, client });
  await pause(1_100); // Until every session has reported its counters.
  add(side.counters, await meters.counters(), counters);
  side.times.push(...times);
  side.took += took;
  side.count += count;
}

const percentile = ({ times }, share) => [...times].sort((one, other) => one - other)[Math.floor((times.length - 1) * share)];
const perSecond = ({ count, took }) => count / (took / 1_000);

function print(chain, width, bare, service) {
  const [left, right] = options.fleet ? ['no fleet', 'one fleet'] : ['web3.js', 'POST /v1/transfers'];
  const times = (side) => ({
    'p50 ms': percentile(side, 0.5).toFixed(1),
    'p95 ms': percentile(side, 0.95).toFixed(1),
    'p99 ms': percentile(side, 0.99).toFixed(1),
    'settled/s': perSecond(side).toFixed(0),
  });
  const cpu = ({ cpu, count }) => Object.fromEntries(Object.entries(cpu).map(([name, ms]) => [`${name} CPU-ms`, (ms / count).toFixed(2)]));
  console.log(`\n${chain}, ${width} at a time, ${bare.count} transfers each in ${ROUNDS} rounds`);
  console.table({ [left]: { ...times(bare), ...cpu(bare) }, [right]: { ...times(service), ...cpu(service) } });
  const { commits, flushes, wal, images, size, inserted, updated, hot, fetched } = service.counters;
  const each = (value, digits) => (value / service.count).toFixed(digits);
  const ratio = width === 1 ? percentile(service, 0.5) / percentile(bare, 0.5) : perSecond(service) / perSecond(bare);
  console.log(
    `${right} over ${left}: ${ratio.toFixed(2)} (${width === 1 ? 'p50' : 'settled/s'}); p99 / p50 ${(percentile(service, 0.99) / percentile(service, 0.5)).toFixed(1)}; a transfer: ` +
      `${each(commits, 2)} commits with those of reads, ${each(flushes, 2)} flushes of the log, ${each(wal, 0)} B of WAL with ${each(images, 2)} page images, ${each(inserted, 1)} rows inserted, ${each(updated, 1)} updated (${each(hot, 1)} in place), ${each(fetched, 0)} fetched, ${each(size, 0)} B of tables and indexes`,
  );
}

async function measure(chain, environment, { mintAuthorityFile, chainPid }) {
  const dataDir = join(directory, chain);
  const profileDirectory = join(directory, 'profile');
  const profile = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`] : [];
  const service = await start(process.execPath, [...profile, 'dist/apps/api/src/bin/server.js'], {
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
  const payBarely = options.fleet ? pay : await barePaying(sandbox, mintAuthority);
  const paySide = options.fleet ? await fleetPaying(client) : pay;
  const meters = { cpu: () => cpuOf(service.pid, chainPid), counters: () => databaseCounters(sandbox.database_url) };

  for (const paying of [paySide, payBarely]) await measured(...WARM_UP[chain], paying);
  const widths = Object.entries(COUNTS[chain]).filter(([width]) => options.at === undefined || options.at === width);
  for (const [text, count] of widths) {
    const width = Number(text);
    const [bare, own] = [emptySide(), emptySide()];
    for (let done = 0; done < ROUNDS; done++) {
      if (!options.profile) await round(bare, width, count, { pay: payBarely, meters });
      await round(own, width, count, { pay: paySide, meters });
    }
    print(chain, width, options.profile ? own : bare, own);
  }
  const residentMib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1] / 1024;
  console.log(`API + worker: ${residentMib.toFixed(0)} MiB resident`);
  await stopAll();
  if (!options.profile) return;
  const { functions, packages } = profileLines(profileDirectory);
  console.log(`\nActive time of the API by function:\n${functions.join('\n')}\n\nby package:\n${packages.join('\n')}`);
}

const keypairOf = ({ signer, seed }) => JSON.stringify([...seed, ...signer.publicKey]);

/** A pool of keys that pay for transfers, so that no fee payer is written by all of them. */
async function feePayers(connection) {
  const keys = Array.from({ length: FEE_PAYERS }, () => LocalSigner.generate());
  await Promise.all(keys.map(({ signer }) => connection.requestAirdrop(new PublicKey(signer.address), 10 * LAMPORTS_PER_SOL)));
  return keys.map(keypairOf).join(',');
}

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
  const validator = await start('solana-test-validator', args, {
    isReady: async () => (await new Connection(rpcUrl).getSlot('finalized')) >= 0,
  });
  const [feePayer, mint, mintAuthority] = [LocalSigner.generate(), LocalSigner.generate(), LocalSigner.generate()];
  const webSocketUrl = `ws://127.0.0.1:${VALIDATOR_PORT + 1}`;
  await createTestMint({ rpcUrl, feePayer: feePayer.signer, mint: mint.signer, mintAuthority: mintAuthority.signer.address });
  const environment = {
    SOLANA_RPC_URL: rpcUrl,
    SOLANA_WS_URL: webSocketUrl,
    USDC_MINT: mint.signer.address,
    FEE_PAYER_KEY: keypairOf(feePayer),
    ...(options.fleet && { FEE_PAYER_KEYS: await feePayers(new Connection(rpcUrl)) }),
    MINT_AUTHORITY_KEY: keypairOf(mintAuthority),
    KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    OPERATOR_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  return { environment, chainPid: validator.pid };
}

try {
  if (options.chain !== 'validator') await measure('embedded', {}, { mintAuthorityFile: 'keys/mint-authority.json' });
  const hasValidator = spawnSync('solana-test-validator', ['--version']).status === 0;
  if (!hasValidator) console.log('\nsolana-test-validator is not on the PATH: its table is left out.');
  if (hasValidator && options.chain !== 'embedded') {
    const { environment, chainPid } = await startValidator();
    await measure('validator', environment, { chainPid });
  }
} finally {
  await stopAll();
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}
process.exit();
