// Shared by `npm run demo:mpp`, `npm run demo:x402`, `npm run bench:payments` and `npm run docs:screenshots`: the sandbox on its own directory, the example provider on the same
// chain, and accounts that pay it.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const { PublicKey } = createRequire(import.meta.url)('@solana/web3.js');
const { getAssociatedTokenAddressSync } = createRequire(import.meta.url)('@solana/spl-token');

const START_TIMEOUT_MS = 60_000;
const MOST_SOCKETS = 64;
const POLL_MS = 100;
const MOST_POLLS = 600;

/** Starts everything. `stop` stops it and removes its files. */
export async function startStage() {
  const directory = mkdtempSync(join(tmpdir(), 'aps-mpp-'));
  const children = [];
  const stop = async () => {
    for (const child of children.splice(0).reverse()) await end(child);
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once('SIGINT', () => void stop().finally(() => process.exit(130)));
  try {
    const { pid: servicePid } = await start(children, 'dist/apps/api/src/bin/server.js', {
      PORT: '0',
      LOG_LEVEL: 'warn',
      DATA_DIR: join(directory, 'service'),
    });
    const sandbox = JSON.parse(readFileSync(join(directory, 'service', 'sandbox.json'), 'utf8'));
    const chain = { SOLANA_RPC_URL: sandbox.rpc_url, USDC_MINT: sandbox.usdc_mint, PROGRAM_ID: sandbox.program_id };
    const { pid: providerPid, said } = await start(children, 'apps/example-provider/main.mjs', {
      ...chain,
      PORT: '0',
      DATA_DIR: join(directory, 'provider'),
    });
    const provider = { url: field(said, 'PROVIDER_URL'), payee: field(said, 'PAYEE') };
    return { ...stage(sandbox, provider), servicePid, providerPid, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function stage(sandbox, provider) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: MOST_SOCKETS });
  const as = (key) => (method, path, body) => call({ agent, url: new URL(path, sandbox.base_url), key, method, body });
  const operator = as(sandbox.operator_key);

  /** An account with money and a policy, and its agent. */
  async function anAccount(name, policy) {
    const { account_id: id, chain_address: chainAddress } = await operator('POST', '/v1/accounts', { name });
    await operator('POST', '/v1/sandbox/faucet', { account_id: id, amount: '100' });
    await operator('PUT', `/v1/accounts/${id}/policy`, policy);
    const { key } = await operator('POST', '/v1/api_keys', { type: 'agent', account_ids: [id] });
    return { id, chainAddress, ask: as(key) };
  }

  const openSession = ({ id, ask }, cap) =>
    ask('POST', '/v1/sessions', {
      account_id: id,
      provider: provider.url,
      payee: provider.payee,
      cap,
      category: 'data',
      idempotency_key: randomUUID(),
    });

  /** One call of the provider's session-priced endpoint, paid for. */
  async function payOnce({ id, ask }, { session_id }) {
    const body = {
      account_id: id,
      session_id,
      max_amount: '0.001',
      idempotency_key: randomUUID(),
      request: { method: 'GET', url: `${provider.url}/quote?symbol=SOL` },
    };
    const payment = await ask('POST', '/v1/payments', body);
    if (payment.status !== 'paid') throw new Error(`a payment is ${payment.status}: ${JSON.stringify(payment)}`);
    return payment;
  }

  /** One on-chain allowance for many x402 payments. */
  const openPurse = ({ id, ask }, amount) =>
    ask('POST', '/v1/purses', { account_id: id, amount, idempotency_key: randomUUID(), category: 'data', expires_in_seconds: 3_600 });

  const closePurse = ({ ask }, { purse_id }) => ask('POST', `/v1/purses/${purse_id}/close`);

  /** One call of the provider's x402 endpoint, paid out of a purse, or by a charge if there is none. */
  async function payX402({ id, ask }, { purse_id } = {}) {
    const body = {
      account_id: id,
      ...(purse_id !== undefined && { purse_id }),
      max_amount: '0.01',
      idempotency_key: randomUUID(),
      request: { method: 'GET', url: `${provider.url}/forecast` },
    };
    const payment = await ask('POST', '/v1/payments', body);
    if (payment.status !== 'paid') throw new Error(`a payment is ${payment.status}: ${JSON.stringify(payment)}`);
    return payment;
  }

  const closeSession = ({ ask }, { session_id }) => ask('POST', `/v1/sessions/${session_id}/close`);

  /** A transfer of the same amount, for comparison, to another account, so that the provider's balance has sessions only. */
  const transferOnce = ({ id, ask }, to, amount) =>
    ask('POST', '/v1/transfers', { from: id, to: to.id, amount, category: 'data', idempotency_key: randomUUID() });

  /** Compute units that transactions used, and lamports that their fee payer paid: fees, and rent less refunds. */
  async function costOf(...signatures) {
    const cost = { units: 0, lamports: 0 };
    for (const signature of signatures) {
      const { meta } = await rpc('getTransaction', [signature, { commitment: 'confirmed', maxSupportedTransactionVersion: 0 }]);
      cost.units += meta.computeUnitsConsumed;
      cost.lamports += meta.preBalances[0] - meta.postBalances[0];
    }
    return cost;
  }

  /** The newest transaction that names an account: where `costSince` begins. */
  async function newestSignature({ chainAddress }) {
    const [newest] = await rpc('getSignaturesForAddress', [chainAddress, { limit: 1, commitment: 'confirmed' }]);
    return newest.signature;
  }

  /** The cost of all transactions of ours that name an account, after one of them. Sellers' transactions name its token account only. */
  async function costSince({ chainAddress }, until) {
    const found = await rpc('getSignaturesForAddress', [chainAddress, { until, commitment: 'confirmed' }]);
    return costOf(...found.map(({ signature }) => signature));
  }

  /** Waits until nothing of an account is reserved: its last charge is finished. */
  async function untilFinished({ id, ask }) {
    for (let tries = 0; tries < MOST_POLLS; tries++) {
      const { reserved_usdc: reserved } = await ask('GET', `/v1/accounts/${id}/spending`);
      if (reserved === null || Number(reserved) === 0) return;
      await pause(POLL_MS);
    }
    throw new Error('a charge was not finished');
  }

  /** Micro-USDC that the provider has, by the chain. */
  async function payeeBalance() {
    const tokenAccount = getAssociatedTokenAddressSync(new PublicKey(sandbox.usdc_mint), new PublicKey(provider.payee));
    return BigInt((await rpc('getTokenAccountBalance', [tokenAccount.toBase58(), { commitment: 'confirmed' }])).value.amount);
  }

  async function rpc(method, params) {
    const { result, error } = await call({
      agent,
      url: new URL(sandbox.rpc_url),
      method: 'POST',
      body: { jsonrpc: '2.0', id: 1, method, params },
    });
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  const income = () => call({ agent, url: new URL('/income', provider.url), method: 'GET' });

  return {
    sandbox,
    operator,
    provider,
    anAccount,
    openSession,
    payOnce,
    closeSession,
    openPurse,
    payX402,
    closePurse,
    transferOnce,
    costOf,
    costSince,
    newestSignature,
    untilFinished,
    payeeBalance,
    income,
  };
}

/** One request on a keep-alive connection; `fetch` would cost more than the service does. */
function call({ agent, url, key, method, body }) {
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    ...(key && { Authorization: `Bearer ${key}` }),
  };
  return new Promise((resolve, reject) => {
    const request = http.request(url, { agent, method, headers }, (response) => {
      let answer = '';
      response.on('data', (chunk) => (answer += chunk));
      response.on('end', () =>
        response.statusCode < 300
          ? resolve(JSON.parse(answer))
          : reject(new Error(`${method} ${url.pathname}: ${response.statusCode} ${answer}`)),
      );
    });
    request.on('error', reject);
    request.end(text);
  });
}

/** Starts a program. Returns the id of its process, and its output up to `ready`. */
function start(children, program, settings) {
  const child = spawn(process.execPath, [program], { env: { ...process.env, ...settings }, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  let said = '';
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`${program} was not ready within ${START_TIMEOUT_MS / 1000} s: ${said}`)),
      START_TIMEOUT_MS,
    );
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}: ${said}`)));
    child.stdout.on('data', (chunk) => {
      said += chunk;
      if (!/^ready$/m.test(said)) return;
      clearTimeout(timer);
      resolve({ pid: child.pid, said });
    });
  });
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

function field(said, name) {
  return new RegExp(`^${name}=(.+)$`, 'm').exec(said)?.[1];
}
