// `npm run bench:payments`: payments per second through one session and through eight, with the example provider on the same
// machine, and the cost of a payment by how many share a session. Prints tables; asserts nothing.
import { startStage } from './mpp-stage.mjs';

const SESSIONS = 8;
const PAYMENTS = 1_000;
const WARM_UP = 200;
const SHARED_BY = [1, 10, 1_000];
const PRICE = '0.0001';
const CAP = '5';
const POLICY = { max_single_transfer: 0.01, max_daily_spend: 50, categories: ['data'] };

const stage = await startStage();
try {
  console.log(`Node ${process.version}`);
  const payers = await Promise.all(
    Array.from({ length: SESSIONS }, async (_, index) => {
      const account = await stage.anAccount(`bench ${index}`, POLICY);
      return { account, session: await stage.openSession(account, CAP) };
    }),
  );
  await through(payers, WARM_UP);
  console.table({
    'one session, one call at a time': await through(payers.slice(0, 1), PAYMENTS),
    'one session, four calls at a time': await through(payers.slice(0, 1), PAYMENTS, 4),
    'eight sessions, one call at a time each': await through(payers, PAYMENTS / 2),
  });
  for (const { account, session } of payers) await stage.closeSession(account, session);
  await costs();
} finally {
  await stage.stop();
}
process.exit();

/** Runs this many payments through each session, with this many concurrent calls in each. */
async function through(payers, count, callsAtOnce = 1) {
  const times = [];
  const began = performance.now();
  const caller = async ({ account, session, left }) => {
    while (left.count-- > 0) {
      const from = performance.now();
      await stage.payOnce(account, session);
      times.push(performance.now() - from);
    }
  };
  await Promise.all(
    payers.flatMap((payer) => {
      const left = { count };
      return Array.from({ length: callsAtOnce }, () => caller({ ...payer, left }));
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const sorted = times.sort((one, other) => one - other);
  const at = (share) => sorted[Math.floor(sorted.length * share)].toFixed(1);
  return {
    payments: times.length,
    'payments/s': Math.round(times.length / seconds),
    'p50 ms': at(0.5),
    'p95 ms': at(0.95),
    'p99 ms': at(0.99),
  };
}

async function costs() {
  const [account, other] = [await stage.anAccount('costs', POLICY), await stage.anAccount('other', {})];
  const table = {};
  for (const payments of SHARED_BY) {
    const opened = await stage.openSession(account, '1');
    for (let paid = 0; paid < payments; paid++) await stage.payOnce(account, opened);
    const closed = await stage.closeSession(account, opened);
    table[`${payments} payment${payments === 1 ? '' : 's'} a session`] = row(
      await stage.costOf(opened.tx_signature, closed.tx_signature),
      payments,
    );
  }
  const { tx_signature } = await stage.transferOnce(account, other, PRICE);
  table['one transfer each'] = row(await stage.costOf(tx_signature), 1);
  console.log('\nWhat one payment costs on chain:');
  console.table(table);
}

function row({ units, lamports }, payments) {
  return { 'compute units': +(units / payments).toFixed(2), lamports: +(lamports / payments).toFixed(2) };
}
