// `npm run bench:webhooks`: deliveries per second of one worker, the delay of the first attempt when a third of the attempts
// fail, and the cost of the relay's query beside a million old events. Prints tables; asserts nothing.
import { fork, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
require('reflect-metadata');
const { Client } = require('pg');
const { newId } = require('../../dist/libs/database/src/index.js');
const { FAN_OUT, FAN_OUT_BATCH } = require('../../dist/apps/api/src/webhooks/deliveries/fan-out.js');

const THROUGHPUT_EVENTS = 10_000;
const FAILING_EVENTS = 10_000;
/** Records this many events per second while a third of the deliveries fail. */
const RATE = 250;
const FAILURE_SHARE = 0.3;
const OLD_EVENTS = 1_000_000;
const PATIENCE_MS = 180_000;

if (process.send) receive();
else await measure();

/** In its own process: answers deliveries, and reports when each event arrived first and when it was accepted. */
function receive() {
  const first = new Map();
  const taken = new Map();
  let share = 0;
  let requests = 0;
  const server = createServer((request, response) => {
    requests++;
    const id = request.headers['webhook-id'];
    if (!first.has(id)) first.set(id, Date.now());
    const fails = Math.random() < share;
    if (!fails) taken.set(id, Date.now());
    request.resume().on('end', () => response.writeHead(fails ? 500 : 200).end());
  });
  process.on('message', (order) => {
    if (order.share !== undefined) share = order.share;
    if (order.forget) [first, taken].forEach((map) => map.clear(), (requests = 0));
    process.send(order.all ? { first: [...first], taken: [...taken], requests } : { count: taken.size });
  });
  server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}/` }));
}

async function measure() {
  const directory = mkdtempSync(join(tmpdir(), 'aps-bench-'));
  const receiver = fork(fileURLToPath(import.meta.url));
  const answer = () => new Promise((resolve) => receiver.once('message', resolve));
  const ask = (order) => (receiver.send(order), answer());
  const { url } = await answer();
  const variables = {
    ...process.env,
    PORT: '0',
    LOG_LEVEL: 'warn',
    DATA_DIR: directory,
    WEBHOOK_RETRY_SECONDS: Array(12).fill(1).join(','),
  };
  const service = spawn(process.execPath, ['dist/apps/api/src/bin/server.js'], { env: variables, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await new Promise((resolve, reject) => {
      service.stdout.on('data', (chunk) => /^ready$/m.test(String(chunk)) && resolve());
      service.once('exit', () => reject(new Error('the service did not start')));
    });
    const { base_url, operator_key, database_url } = JSON.parse(readFileSync(join(directory, 'sandbox.json'), 'utf8'));
    const post = async (path, body) =>
      (
        await fetch(`${base_url}/v1/${path}`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${operator_key}`, 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).json();
    const { account_id } = await post('accounts', { name: 'bench' });
    await post('webhooks', { url });
    const database = new Client({ connectionString: database_url });
    await database.connect();
    const [{ operator_id }] = (await database.query('SELECT operator_id FROM accounts WHERE id = $1', [account_id])).rows;
    const world = { database, ask, account_id, operator_id };
    console.table([await throughput(world), await failing(world)]);
    console.table(await fanOutCost(world));
    await database.end();
  } finally {
    receiver.kill();
    const ended = new Promise((resolve) => service.once('exit', resolve));
    service.kill('SIGTERM');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Records events as the service does. Returns their ids. */
async function record({ database, account_id, operator_id }, count) {
  const created_at = new Date().toISOString();
  const events = Array.from({ length: count }, () => ({
    id: newId('evt'),
    operator_id,
    account_id,
    type: 'transfer.settled',
    data: { transfer_id: newId('tr'), account_id, amount_usdc: '1.000000' },
    created_at,
  }));
  await database.query('SELECT record_event(event) FROM jsonb_array_elements($1) event', [JSON.stringify(events)]);
  return events.map(({ id }) => id);
}

async function until(ask, count) {
  for (const giveUpAt = Date.now() + PATIENCE_MS; Date.now() < giveUpAt; await pause(100)) if ((await ask({})).count >= count) return;
}

async function throughput(world) {
  await world.ask({ forget: true });
  await world.database.query('BEGIN');
  for (let count = 0; count < THROUGHPUT_EVENTS; count += 1_000) await record(world, 1_000);
  await world.database.query('COMMIT');
  const began = Date.now();
  await until(world.ask, THROUGHPUT_EVENTS);
  const { taken, requests } = await world.ask({ all: true });
  const last = Math.max(...taken.map(([, at]) => at));
  return {
    what: 'a swift receiver',
    events: THROUGHPUT_EVENTS,
    lost: THROUGHPUT_EVENTS - taken.length,
    requests,
    'deliveries/s': Math.round(taken.length / ((last - began) / 1000)),
  };
}

async function failing(world) {
  await world.ask({ forget: true, share: FAILURE_SHARE });
  const committed = new Map();
  const began = Date.now();
  while (committed.size < FAILING_EVENTS) {
    const due = Math.min(FAILING_EVENTS, Math.ceil(((Date.now() - began) / 1000) * RATE)) - committed.size;
    if (due > 0) {
      const ids = await record(world, due);
      for (const id of ids) committed.set(id, Date.now());
    }
    await pause(10);
  }
  await until(world.ask, FAILING_EVENTS);
  const { first, taken, requests } = await world.ask({ all: true });
  const delays = first.map(([id, at]) => at - committed.get(id)).sort((one, other) => one - other);
  const at = (share) => delays[Math.floor(delays.length * share)];
  return {
    what: '30 % fail',
    events: FAILING_EVENTS,
    lost: FAILING_EVENTS - taken.length,
    requests,
    'p50 ms to the first attempt': at(0.5),
    'p95 ms': at(0.95),
    'p99 ms': at(0.99),
  };
}

/** The relay's query for new events, rolled back, before and after a million old ones. */
async function fanOutCost(world) {
  const { database, account_id, operator_id } = world;
  const rows = [];
  for (const old of [0, OLD_EVENTS]) {
    if (old > 0) {
      await database.query('SET statement_timeout = 0');
      await database.query(
        `INSERT INTO events (id, operator_id, account_id, sequence, type, data, created_at)
         SELECT 'evt_0' || lpad(number::text, 25, '0'), $1, $2, 1000000 + number, 'transfer.settled', '{"transfer_id": "tr_x", "amount_usdc": "1.000000"}', now() FROM generate_series(1, ${old}) number`,
        [operator_id, account_id],
      );
      await database.query('VACUUM ANALYZE events');
    }
    const times = [];
    for (let run = 0; run < 5; run++) {
      await database.query('BEGIN');
      await record(world, FAN_OUT_BATCH);
      const { rows: explained } = await database.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${FAN_OUT.replaceAll('$1', 'now()')}`);
      await database.query('ROLLBACK');
      times.push(explained[0]['QUERY PLAN'][0]);
    }
    const [best] = times.sort((one, other) => one['Execution Time'] - other['Execution Time']);
    const empty = (await database.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${FAN_OUT.replaceAll('$1', 'now()')}`)).rows[0][
      'QUERY PLAN'
    ][0];
    rows.push({
      'old events': old,
      [`ms for ${FAN_OUT_BATCH} new`]: best['Execution Time'].toFixed(1),
      [`buffers for ${FAN_OUT_BATCH}`]: best.Plan['Shared Hit Blocks'],
      'ms for none': empty['Execution Time'].toFixed(2),
      'buffers for none': empty.Plan['Shared Hit Blocks'],
    });
  }
  return rows;
}
