// `npm run demo:mpp`: an agent calls a paid API 1,000 times. Each call is paid by a voucher of one session, and all of them
// are settled by one transaction. Prints the cost of a payment, and exits with 1 unless every micro-USDC is accounted for.
import { startStage } from './mpp-stage.mjs';

const PAYMENTS = Number(process.env.DEMO_PAYMENTS ?? 1_000);
const PRICE = '0.000100';
/** Ten times the total: a session that has used half of its cap is settled early, and the demo shows one settlement. */
const CAP = '1';
const TELL_EVERY = 200;
const LAMPORTS = 1_000_000_000;

const usdc = (micro) => `${micro / 1_000_000n}.${(micro % 1_000_000n).toString().padStart(6, '0')}`;

console.log('Starting the sandbox and the example provider …');
const stage = await startStage();
try {
  process.exitCode = (await demo()) ? 0 : 1;
} finally {
  await stage.stop();
}
process.exit();

async function demo() {
  const account = await stage.anAccount('demo', { max_single_transfer: 0.01, max_daily_spend: 5, categories: ['data'] });
  const other = await stage.anAccount('other', {});
  console.log(`\nAn agent may spend 5 USDC a day, 0.01 at once, on "data" alone. ${stage.provider.url}/quote costs ${PRICE} a call.`);
  const transfer = await stage.transferOnce(account, other, PRICE);
  const opened = await stage.openSession(account, CAP);
  console.log(`${opened.session_id}: ${opened.cap_usdc} USDC set aside on chain for ${stage.provider.payee}.`);

  const began = performance.now();
  for (let paid = 1; paid <= PAYMENTS; paid++) {
    await stage.payOnce(account, opened);
    if (paid % TELL_EVERY === 0) console.log(`  ${paid} payments, ${(paid / ((performance.now() - began) / 1000)).toFixed(0)} a second`);
  }
  const closed = await stage.closeSession(account, opened);
  console.log(`Closed: ${closed.settled_usdc} paid and ${closed.returned_usdc} returned in one transaction, ${closed.tx_signature}.\n`);
  await tellCosts(transfer, opened, closed);
  return tellMoney(closed);
}

async function tellCosts(transfer, opened, closed) {
  const [alone, opening, closing] = await Promise.all([transfer, opened, closed].map(({ tx_signature }) => stage.costOf(tx_signature)));
  const both = { units: opening.units + closing.units, lamports: opening.lamports + closing.lamports };
  const row = ({ units, lamports }, payments = 1) => ({
    'compute units': +(units / payments).toFixed(2),
    lamports: +(lamports / payments).toFixed(2),
    SOL: (lamports / payments / LAMPORTS).toFixed(11),
  });
  console.table({
    'opening (rent included)': row(opening),
    'closing (rent returned)': row(closing),
    [`each of ${PAYMENTS} payments`]: row(both, PAYMENTS),
    'one transfer each instead': row(alone),
  });
}

/** The provider's vouchers, the settled amount, its balance and the calls that were served must agree. */
async function tellMoney({ settled_usdc: settled, returned_usdc: returned, cap_usdc: cap }) {
  const [{ promised }, balance] = await Promise.all([stage.income(), stage.payeeBalance()]);
  const paidFor = BigInt(PAYMENTS) * micro(PRICE);
  const amounts = {
    'paid for': usdc(paidFor),
    'promised to the provider': usdc(BigInt(promised)),
    settled,
    'on chain, the provider’s': usdc(balance),
  };
  console.table(Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, { USDC: amount }])));
  const isExact = new Set(Object.values(amounts)).size === 1 && micro(settled) + micro(returned) === micro(cap);
  console.log(isExact ? 'Every micro-USDC is accounted for.' : `These differ, or ${settled} and ${returned} do not make ${cap}.`);
  return isExact;
}

function micro(text) {
  return BigInt(text.replace('.', ''));
}
