// `npm run bench:payments`: payments per second through MPP sessions, x402 purses and x402 charges, with the example provider and its
// stock facilitator on the same machine, the CPU time of each process, and what a payment costs us on chain by how many share a session or
// a purse. Prints tables; asserts nothing.
import { startStage } from '../demo/mpp-stage.mjs';
import { cpuOf, cpuOfOne, ownCpu } from './bench-meters.mjs';

const ACCOUNTS = 32;
const EIGHT = 8;
const PAYMENTS = 1_000;
const CHARGES = 100;
const WARM_UP = 20;
const SHARED_BY = [1, 10, 1_000];
const PRICE = '0.0001';
const CAP = '5';
// Without categories: x402 has none, so that an account that lists some pays by purse only.
const POLICY = { max_single_transfer: 10, max_daily_spend: 50 };

const stage = await startStage();
try {
  console.log(`Node ${process.version}`);
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, (_, index) => stage.anAccount(`bench ${index}`, POLICY)));
  const table = {};
  await bySession(accounts, table);
  await byPurse(accounts, table);
  await byCharge(accounts, table);
  console.table(table);
  await costs();
} finally {
  await stage.stop();
}
process.exit();

async function bySession(accounts, table) {
  const payers = await openAll(accounts, (account) => stage.openSession(account, CAP), stage.payOnce);
  await run(payers, WARM_UP, 1);
  table['MPP, one session, one call at a time'] = await run(payers.slice(0, 1), PAYMENTS, 1);
  table['MPP, one session, eight calls at a time'] = await run(payers.slice(0, 1), PAYMENTS, 8);
  table['MPP, eight sessions, one call at a time each'] = await run(payers.slice(0, EIGHT), PAYMENTS / 2, 1);
  table['MPP, 32 sessions, one call at a time each'] = await run(payers, PAYMENTS / 8, 1);
  for (const { account, opened } of payers) await stage.closeSession(account, opened);
}

async function byPurse(accounts, table) {
  const payers = await openAll(accounts, (account) => stage.openPurse(account, CAP), stage.payX402);
  await run(payers, WARM_UP, 1);
  table['x402, one purse, one call at a time'] = await run(payers.slice(0, 1), PAYMENTS / 2, 1);
  table['x402, one purse, eight calls at a time'] = await run(payers.slice(0, 1), PAYMENTS, 8);
  table['x402, eight purses, one call at a time each'] = await run(payers.slice(0, EIGHT), PAYMENTS / 4, 1);
  table['x402, 32 purses, one call at a time each'] = await run(payers, PAYMENTS / 16, 1);
  for (const { account, opened } of payers) await stage.closePurse(account, opened);
}

async function byCharge(accounts, table) {
  const payers = accounts.map((account) => ({ account, pay: () => stage.payX402(account) }));
  table['x402, one account, one charge at a time'] = await run(payers.slice(0, 1), CHARGES, 1);
  table['x402, eight accounts, one charge at a time each'] = await run(payers.slice(0, EIGHT), CHARGES / 4, 1);
}

function openAll(accounts, open, pay) {
  return Promise.all(
    accounts.map(async (account) => {
      const opened = await open(account);
      return { account, opened, pay: () => pay(account, opened) };
    }),
  );
}

/** Makes `count` payments by each payer, `atOnce` of them at a time. */
async function run(payers, count, atOnce) {
  const times = [];
  const cpuBefore = cpuNow();
  const began = performance.now();
  const caller = async (pay, left) => {
    while (left.count-- > 0) {
      const from = performance.now();
      await pay();
      times.push(performance.now() - from);
    }
  };
  await Promise.all(
    payers.flatMap(({ pay }) => {
      const left = { count };
      return Array.from({ length: atOnce }, () => caller(pay, left));
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const sorted = times.sort((one, other) => one - other);
  const at = (share) => sorted[Math.floor(sorted.length * share)].toFixed(1);
  const cpu = Object.entries(cpuNow()).map(([name, ms]) => [`${name} CPU-ms`, ((ms - cpuBefore[name]) / times.length).toFixed(1)]);
  return {
    payments: times.length,
    'payments/s': Math.round(times.length / seconds),
    'p50 ms': at(0.5),
    'p95 ms': at(0.95),
    'p99 ms': at(0.99),
    ...Object.fromEntries(cpu),
  };
}

/** CPU milliseconds that each process has used. */
function cpuNow() {
  return { ...cpuOf(stage.servicePid), seller: cpuOfOne(stage.providerPid), client: ownCpu() };
}

/** Compute units and lamports of our transactions, by payment. */
async function costs() {
  const [account, other] = [await stage.anAccount('costs', POLICY), await stage.anAccount('other', {})];
  const table = {};
  for (const payments of SHARED_BY) {
    table[`MPP, ${payments} a session`] = await costOf(account, payments, async () => {
      const opened = await stage.openSession(account, '1');
      for (let paid = 0; paid < payments; paid++) await stage.payOnce(account, opened);
      await stage.closeSession(account, opened);
    });
    table[`x402, ${payments} a purse`] = await costOf(account, payments, async () => {
      const opened = await stage.openPurse(account, '2');
      for (let paid = 0; paid < payments; paid++) await stage.payX402(account, opened);
      await stage.closePurse(account, opened);
    });
  }
  table['x402, by a charge each'] = await costOf(account, 10, async () => {
    for (let paid = 0; paid < 10; paid++) await stage.payX402(account);
    await stage.untilFinished(account);
  });
  table['one transfer each'] = await costOf(account, 1, () => stage.transferOnce(account, other, PRICE));
  console.log('\nWhat one payment costs us on chain:');
  console.table(table);
}

async function costOf(account, payments, work) {
  const before = await stage.newestSignature(account);
  await work();
  const { units, lamports } = await stage.costSince(account, before);
  return { 'compute units': +(units / payments).toFixed(2), lamports: +(lamports / payments).toFixed(2) };
}
