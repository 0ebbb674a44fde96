// `npm run demo:x402`: an agent calls an API that is paid by x402 1,000 times. All payments come out of one purse: two transactions of
// ours in all. Prints cost and time of a payment beside a session's vouchers and one transfer each, and exits with 1 unless every
// micro-USDC is accounted for.
import { startStage } from './mpp-stage.mjs';

const PAYMENTS = 1_000;
/** Payments that are under way at once. */
const AT_ONCE = 8;
const PRICE = '0.001000';
const AMOUNT = '1.5';
const VOUCHERS = 200;
const REPORT_EVERY = 200;

const micro = (text) => BigInt(text.replace('.', ''));
const usdc = (amount) => `${amount / 1_000_000n}.${(amount % 1_000_000n).toString().padStart(6, '0')}`;

console.log('Starting the sandbox and the example provider …');
const stage = await startStage();
try {
  process.exitCode = (await demo()) ? 0 : 1;
} finally {
  await stage.stop();
}
process.exit();

async function demo() {
  const account = await stage.anAccount('demo', { max_single_transfer: 2, max_daily_spend: 50, max_session_cap: 2, categories: ['data'] });
  const other = await stage.anAccount('other', {});
  const [transfer, transferMs] = await timed(() => stage.transferOnce(account, other, PRICE));
  const vouchers = await payByVouchers(account);

  const before = await stage.payeeBalance();
  const opened = await stage.openPurse(account, AMOUNT);
  console.log(`\n${opened.purse_id}: ${opened.amount_usdc} USDC for x402 payments. ${stage.provider.url}/forecast costs ${PRICE} a call.`);
  const [, purseMs] = await timed(() => payByPurse(account, opened));
  const closed = await stage.closePurse(account, opened);
  console.log(`Closed: ${closed.spent_usdc} spent and ${closed.returned_usdc} returned, ${closed.tx_signature}.\n`);

  const purse = await costOf([opened, closed]);
  console.table({
    'x402 by purse, each': row(purse, PAYMENTS, purseMs),
    'MPP by session, each': row(vouchers.cost, VOUCHERS, vouchers.ms),
    'one transfer each': row(await costOf([transfer]), 1, transferMs),
  });
  return report(closed, (await stage.payeeBalance()) - before);
}

/** The same number of agents' calls at once, until all are made. */
async function payByPurse(account, opened) {
  let [begun, done] = [0, 0];
  const worker = async () => {
    while (begun < PAYMENTS) {
      begun++;
      await stage.payX402(account, opened);
      if (++done % REPORT_EVERY === 0) console.log(`  ${done} payments`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function payByVouchers(account) {
  const opened = await stage.openSession(account, '1');
  const [, ms] = await timed(async () => {
    for (let paid = 0; paid < VOUCHERS; paid++) await stage.payOnce(account, opened);
  });
  const closed = await stage.closeSession(account, opened);
  return { ms, cost: await costOf([opened, closed]) };
}

async function timed(work) {
  const began = performance.now();
  const result = await work();
  return [result, performance.now() - began];
}

/** Compute units and lamports of our transactions. */
function costOf(objects) {
  return stage.costOf(...objects.map(({ tx_signature }) => tx_signature));
}

function row({ units, lamports }, payments, ms) {
  return {
    'our compute units': +(units / payments).toFixed(2),
    'our lamports': +(lamports / payments).toFixed(2),
    'payments a second': +((payments * 1000) / ms).toFixed(1),
  };
}

/** The paid calls, the amount that the purse spent and the amount that the provider received on chain must agree. */
function report({ spent_usdc: spent, returned_usdc: returned, amount_usdc: amount }, received) {
  const amounts = { 'paid for': usdc(BigInt(PAYMENTS) * micro(PRICE)), spent, 'received on chain': usdc(received) };
  console.table(Object.fromEntries(Object.entries(amounts).map(([name, value]) => [name, { USDC: value }])));
  const isExact = new Set(Object.values(amounts)).size === 1 && micro(spent) + micro(returned) === micro(amount);
  console.log(isExact ? 'Every micro-USDC is accounted for.' : `These differ, or ${spent} and ${returned} do not make ${amount}.`);
  return isExact;
}
