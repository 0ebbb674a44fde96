/**
 * An API that agents pay, on Express with unmodified mppx, @solana/mpp and @x402/express, and the session method of this folder.
 *
 *   GET  /time     free
 *   GET  /report   0.01 USDC a request, each a transaction on chain (MPP, solana/charge)
 *   GET  /forecast 0.001 USDC a request, each a transaction on chain (x402, exact); the provider pays the network's fee
 *   GET  /quote    0.0001 USDC a request out of a session (solana/session), of the category "data"
 *   GET  /search   0.00025 USDC a request out of a session, of the category "search", which is in `opaque` as in methods without a category
 *   GET  /income   the amounts of accepted vouchers and of what was served, by session
 *   POST /settle   settles the highest voucher of each session on chain
 *
 * The last two are for the provider's owner. A real provider protects them.
 *
 * Settings: SOLANA_RPC_URL, USDC_MINT, PROGRAM_ID; PORT (4020), NETWORK (localnet), DATA_DIR (.data/provider: key and
 * vouchers), PAYEE_KEY (a keypair file or its JSON; default a new one in DATA_DIR), LEAST_GRACE_SECONDS (0).
 */
import { createHmac } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { address } from '@solana/kit';
import { solana } from '@solana/mpp/server';
import { paymentMiddleware } from '@x402/express';
import express from 'express';
import { Mppx } from 'mppx/server';
import { AcceptedVouchers } from './accepted-vouchers.mjs';
import { networkOf, resourceServer } from './facilitator.mjs';
import { sold } from './selling.mjs';
import { SessionAccounts } from './session-account.mjs';
import { session } from './session-method.mjs';
import { Wallet, loadKey } from './wallet.mjs';

const DECIMALS = 6;
const HOST = '127.0.0.1';
const STOP_WITHIN_MS = 5_000;

const { PORT = '4020', NETWORK = 'localnet', DATA_DIR = join('.data', 'provider'), PAYEE_KEY, LEAST_GRACE_SECONDS = '0' } = process.env;
const chain = { rpcUrl: setting('SOLANA_RPC_URL'), program: address(setting('PROGRAM_ID')), mint: address(setting('USDC_MINT')) };
mkdirSync(DATA_DIR, { recursive: true, mode: 0o700 });
const { signer, seed } = await loadKey(PAYEE_KEY, join(DATA_DIR, 'payee.json'));
const payee = signer.address;
const wallet = new Wallet({ ...chain, signer });
await wallet.fund();
await wallet.prepare();

const vouchers = await AcceptedVouchers.open(join(DATA_DIR, 'vouchers.jsonl'));
const accounts = new SessionAccounts(chain);
const mppx = Mppx.create({
  methods: [
    solana.charge({ recipient: payee, currency: chain.mint, decimals: DECIMALS, network: NETWORK, rpcUrl: chain.rpcUrl }),
    session({ payee, leastGraceSeconds: Number(LEAST_GRACE_SECONDS), accounts, vouchers }),
  ],
  realm: 'example-provider',
  // Derived from the payee's key, so that challenges stay valid after a restart.
  secretKey: createHmac('sha256', seed).update('challenges').digest('base64'),
});

const methodDetails = { network: NETWORK, channelProgram: chain.program };
const fromSession = { currency: chain.mint, recipient: payee };
const report = mppx.charge({ amount: '10000', currency: chain.mint, description: 'a report' });
const quote = mppx.session({ ...fromSession, amount: '100', methodDetails: { ...methodDetails, category: 'data' }, scope: 'GET /quote' });
const search = mppx.session({ ...fromSession, amount: '250', methodDetails, meta: { category: 'search' }, scope: 'GET /search' });

const network = await networkOf(chain.rpcUrl);
const forecast = {
  accepts: { scheme: 'exact', network, payTo: payee, price: { asset: chain.mint, amount: '1000' }, maxTimeoutSeconds: 60 },
  description: 'a forecast',
  mimeType: 'application/json',
};

const app = express().disable('x-powered-by');
app.use(paymentMiddleware({ 'GET /forecast': forecast }, resourceServer({ rpcUrl: chain.rpcUrl, network, signer })));
app.get('/time', (_request, response) => void response.json({ now: new Date().toISOString() }));
app.get(
  '/report',
  sold(report, () => ({ report: 'All is well.', made_at: new Date().toISOString() })),
);
app.get('/forecast', (_request, response) => void response.json({ forecast: 'Sunny.', made_at: new Date().toISOString() }));
app.get(
  '/quote',
  sold(quote, ({ query }) => ({ symbol: String(query.symbol ?? 'SOL'), price_usd: '142.37' })),
);
app.get(
  '/search',
  sold(search, ({ query }) => ({ query: String(query.q ?? ''), results: [] })),
);
app.get('/income', (_request, response) => {
  const sessions = vouchers.all().map(({ channelId, cumulative, spent }) => ({ session: channelId, promised: cumulative, served: spent }));
  response.json({ payee, promised: `${sessions.reduce((sum, { promised }) => sum + BigInt(promised), 0n)}`, sessions });
});
app.post('/settle', async (_request, response) => void response.json({ settled: await settleAll() }));

const server = app.listen(Number(PORT), HOST, () => {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error(`nothing listens on port ${PORT}`);
  console.log(`PROVIDER_URL=http://${HOST}:${bound.port}\nPAYEE=${payee}\nready`);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);

/** Settles the vouchers that are not settled yet. One that fails does not stop the others. */
async function settleAll() {
  const settled = [];
  for (const accepted of vouchers.all()) {
    const { channelId, cumulative } = accepted;
    try {
      const found = await accounts.read(address(channelId));
      if (!found || found.settled >= BigInt(cumulative)) continue;
      settled.push({ session: channelId, cumulative, tx_signature: await wallet.settle(found, accepted) });
    } catch (error) {
      console.error(`${channelId} is not settled: ${error instanceof Error ? error.message : error}`);
    }
  }
  return settled;
}

/** Waits for running requests, settles, and exits. */
async function stop() {
  setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  await closed;
  await settleAll();
  await vouchers.close();
  process.exit();
}

/** @param {string} name */
function setting(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} must be set: see the top of main.mjs.`);
  return value;
}
