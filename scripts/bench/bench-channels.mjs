// `npm run bench:channels`: what a call costs us on chain at stock sellers of payment channels, a metered one (x402 `upto` by @x402/svm)
// and one of MPP sessions (solana-pay-kit of PyPI), by how many calls share a channel purse. Prints a table; asserts nothing.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startStage } from '../demo/mpp-stage.mjs';
import { pythonTools } from '../python-tools.mjs';

const require = createRequire(import.meta.url);
const { Connection, Keypair, PublicKey } = require('@solana/web3.js');
const { getOrCreateAssociatedTokenAccount } = require('@solana/spl-token');
const { networkNames } = require('../../dist/libs/x402/src/index.js');

const SUPPORT = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'test', 'support');
const SHARED_BY = [10, 1_000];
/** Micro-USDC: the most of a metered call, what it costs, and the price of a session's call. */
const [MAXIMUM, COST, PRICE] = [1_000, 400, 1_000];
const POLICY = { max_single_transfer: 10, max_daily_spend: 50 };
const LAMPORTS = 1_000_000_000;
/** The end of a purse takes some looks of a job; it is over when no transaction of ours has come for so long. */
const [POLL_MS, QUIET_MS, MOST_MS] = [500, 15_000, 180_000];

const children = [];
const stage = await startStage();
try {
  const { rpc_url: rpcUrl, ws_url: wsEndpoint, usdc_mint: mint } = stage.sandbox;
  const chain = new Connection(rpcUrl, { commitment: 'confirmed', wsEndpoint });
  const [agent, payee] = [await stage.anAccount('calls', POLICY), await stage.anAccount('metered seller', {})];
  const feePayer = await feePayerOf(chain, agent);
  const sellers = { upto: await meteredSeller(chain, { rpcUrl, mint, payee }), session: await sessionSeller(chain, { rpcUrl, mint }) };
  console.log(`Node ${process.version}`);
  const table = {};
  for (const calls of SHARED_BY) {
    table[`x402 upto, ${calls} a purse`] = await costOf(chain, feePayer, calls, () => metered(agent, sellers.upto, calls));
    table[`MPP session, ${calls} a channel`] = await costOf(chain, feePayer, calls, () => inSession(agent, sellers.session, calls));
  }
  console.log('\nWhat one call costs us on chain, fees and rent less refunds:');
  console.table(table);
} finally {
  for (const child of children) child.kill('SIGKILL');
  await stage.stop();
}
process.exit();

/** Calls of a metered seller out of one channel purse. Returns the purse. */
async function metered(agent, url, calls) {
  const amount = ((calls * COST + MAXIMUM) / 1_000_000).toFixed(6);
  const order = { kind: 'channel', account_id: agent.id, amount, idempotency_key: randomUUID() };
  const { purse_id } = await agent.ask('POST', '/v1/purses', order);
  for (let call = 0; call < calls; call++) await pay(agent, `${url}/infer?cost=${COST}`, { purse_id });
  return purse_id;
}

/** Calls in one channel of a session seller. Returns the purse. */
async function inSession(agent, url, calls) {
  const cap = ((calls * PRICE) / 1_000_000).toFixed(6);
  const { purse_id } = await pay(agent, `${url}/quote`, { open_session: { cap } });
  for (let call = 1; call < calls; call++) await pay(agent, `${url}/quote`, { purse_id });
  return purse_id;
}

async function pay(agent, url, more) {
  const order = { account_id: agent.id, max_amount: '0.01', idempotency_key: randomUUID(), request: { method: 'GET', url }, ...more };
  const payment = await agent.ask('POST', '/v1/payments', order);
  if (payment.status !== 'paid') throw new Error(`a payment is ${payment.status}: ${JSON.stringify(payment)}`);
  return payment;
}

/** Compute units and lamports of all transactions that our fee payer paid, by call: until the purse is closed and its rent is back. */
async function costOf(chain, feePayer, calls, work) {
  const [{ signature: until }] = await chain.getSignaturesForAddress(feePayer, { limit: 1 });
  const began = performance.now();
  const purseId = await work();
  const seconds = (performance.now() - began) / 1_000;
  await stage.operator('POST', `/v1/purses/${purseId}/close`);
  const signatures = await whenQuiet(chain, feePayer, until, purseId);
  const cost = await stage.costOf(...signatures);
  return {
    transactions: signatures.length,
    'compute units': +(cost.units / calls).toFixed(2),
    lamports: +(cost.lamports / calls).toFixed(2),
    'calls/s': Math.round(calls / seconds),
  };
}

async function whenQuiet(chain, feePayer, until, purseId) {
  let found = [];
  let since = performance.now();
  for (const end = since + MOST_MS; performance.now() < end; await pause(POLL_MS)) {
    const now = await chain.getSignaturesForAddress(feePayer, { until });
    if (now.length !== found.length) [found, since] = [now, performance.now()];
    const { status } = await stage.operator('GET', `/v1/purses/${purseId}`);
    if (status === 'closed' && performance.now() - since > QUIET_MS) return found.map(({ signature }) => signature);
  }
  throw new Error(`${purseId} has not ended`);
}

/** The key that pays our fees: it signed the newest transaction of an account first. */
async function feePayerOf(chain, agent) {
  const signature = await stage.newestSignature(agent);
  const { transaction } = await chain.getTransaction(signature, { commitment: 'confirmed', maxSupportedTransactionVersion: 0 });
  return transaction.message.staticAccountKeys[0];
}

async function meteredSeller(chain, { rpcUrl, mint, payee }) {
  const network = networkNames(await chain.getGenesisHash()).caip2;
  const settings = { SOLANA_RPC_URL: rpcUrl, USDC_MINT: mint, PAYEE: payee.chainAddress, NETWORK: network, PRICE: `${MAXIMUM}` };
  const said = await begun(process.execPath, [join(SUPPORT, 'x402-sellers', 'upto.mjs')], settings, /^READY (\d+)$/m);
  const url = `http://127.0.0.1:${said}`;
  // Its facilitator has a SOL, and gets the rent of a channel back much later: a thousand calls take more.
  const required = JSON.parse(Buffer.from((await fetch(`${url}/infer`)).headers.get('payment-required'), 'base64'));
  const { feePayer } = required.accepts[0].extra;
  await chain.confirmTransaction(await chain.requestAirdrop(new PublicKey(feePayer), 10 * LAMPORTS), 'confirmed');
  return url;
}

async function sessionSeller(chain, { rpcUrl, mint }) {
  const key = Keypair.generate();
  await chain.confirmTransaction(await chain.requestAirdrop(key.publicKey, LAMPORTS), 'confirmed');
  await getOrCreateAssociatedTokenAccount(chain, key, new PublicKey(mint), key.publicKey, true, 'confirmed');
  const terms = { key: [...key.secretKey], rpc: rpcUrl, mint, amount: PRICE, deposit: 1_000_000_000 };
  const said = await begun(join(pythonTools(), 'python'), [join(SUPPORT, 'mpp-session-seller.py'), JSON.stringify(terms)], {}, /^(\d+)$/m);
  return `http://127.0.0.1:${said}`;
}

/** Starts a program, and returns the part of its output that says that it is ready. */
function begun(program, args, settings, ready) {
  const child = spawn(program, args, { env: { ...process.env, ...settings }, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  let said = '';
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}: ${said}`)));
    child.stdout.on('data', (chunk) => {
      said += chunk;
      const found = ready.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
}
