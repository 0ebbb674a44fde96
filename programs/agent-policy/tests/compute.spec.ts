/** Compute units: each instruction stays below the limit that the service sets, and a transfer stays cheap. */
import { CASES, measure } from './support/compute';
import { COMPUTE_UNITS } from '../../../libs/chain/src/program/compute-units';

const TIMES = 4;
/** `SetComputeUnitPrice`, which the service adds where compute units have a price. */
const PRICE_UNITS = 150;
const TRANSFER_AIM = 7_500;
/** For each instruction on sessions and charges in every case, with the voucher's verification and the compute budget instruction. */
const SESSION_AIM = 30_000;
/** One step of an address search. */
const SEARCH_STEP = 1_500;
const NEWER: (keyof typeof COMPUTE_UNITS)[] = [
  'openSession',
  'topUpSession',
  'settleSession',
  'closeSession',
  'approveCharge',
  'finishCharge',
  'sweepChannel',
  'finishChannel',
  'closeChannel',
  'closeOpenChannel',
  'checkPayment',
];

describe('compute units', () => {
  it.each(CASES)('compute units: $title', (one) => {
    for (const { error, computeUnits } of measure(one, TIMES)) {
      expect(error).toBe(one.error);
      expect(computeUnits + PRICE_UNITS).toBeLessThanOrEqual(COMPUTE_UNITS[one.ceiling]);
      if (NEWER.includes(one.ceiling)) expect(computeUnits).toBeLessThanOrEqual(SESSION_AIM);
    }
  });

  it.each(CASES.filter(({ title }) => title.startsWith('transfer, 10 counterparties')))(
    'compute units: $title: at most 7,500 in total',
    (one) => {
      for (const { computeUnits } of measure(one, TIMES)) expect(computeUnits).toBeLessThanOrEqual(TRANSFER_AIM);
    },
  );

  it.each([
    ['transfer, no lists', 7_300],
    ['fleet: transfer, all rules', 9_200],
    ['fleet: transfer, worst case', 14_000],
    ['fleet: open_session', 20_000],
    ['fleet: close_session', 19_000],
    ['fleet: close_session, after a day', 19_000],
  ])('compute units: %s: at most %d in total', (title, most) => {
    const units = CASES.filter((one) => one.title === title).flatMap((one) => measure(one, TIMES).map(({ computeUnits }) => computeUnits));
    expect(units).toHaveLength(TIMES);
    expect(Math.max(...units)).toBeLessThanOrEqual(most);
  });

  it('open_session costs the same at any address, because no bump is searched', () => {
    const opening = CASES.filter(({ title }) => ['open_session', 'open_session, a long search for its address'].includes(title));
    const units = opening.flatMap((one) => measure(one, 20).map(({ computeUnits }) => computeUnits));
    expect(units.length).toBe(40);
    expect(Math.max(...units) - Math.min(...units)).toBeLessThan(SEARCH_STEP / 10);
  });

  it('create_account leaves compute units for thirty more steps of the address search', () => {
    const [create] = CASES;
    const most = Math.max(...measure(create ?? never(), 50).map(({ computeUnits }) => computeUnits));
    expect(most + 30 * SEARCH_STEP).toBeLessThanOrEqual(COMPUTE_UNITS.createAccount);
  });
});

function never(): never {
  throw new Error('there are no cases');
}
