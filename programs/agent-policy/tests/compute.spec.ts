/** Compute units: no instruction needs more than the service asks for, and a transfer stays cheap. */
import { CASES, measure } from './support/compute';
import { COMPUTE_UNITS } from '../../../libs/chain/src/solana/compute-units';

const TIMES = 4;
/** `SetComputeUnitPrice`, which the service adds where units have a price. */
const PRICE_UNITS = 150;
const TRANSFER_AIM = 8_600;
/** For sessions and charges, with the voucher's verification; where a token account is made on the way, its creation comes on top. */
const SESSION_AIM = 30_000;
const NEWER = ['openSession', 'topUpSession', 'settleSession', 'closeSession', 'approveCharge', 'finishCharge', 'checkPayment'];

describe('compute units', () => {
  it.each(CASES)('$title', (one) => {
    for (const { refusal, computeUnits } of measure(one, TIMES)) {
      expect(refusal).toBe(one.refusal);
      expect(computeUnits + PRICE_UNITS).toBeLessThanOrEqual(COMPUTE_UNITS[one.ceiling]);
      if (NEWER.includes(one.ceiling) && !one.creates) expect(computeUnits).toBeLessThanOrEqual(SESSION_AIM);
    }
  });

  it.each(CASES.filter(({ title }) => title.startsWith('transfer, 10 counterparties')))('$title: at most 8,600 in all', (one) => {
    for (const { computeUnits } of measure(one, TIMES)) expect(computeUnits).toBeLessThanOrEqual(TRANSFER_AIM);
  });

  it('opening a session costs at most 35,000 beside the address search, of which 10,000 are its escrow’s creation', () => {
    const opening = CASES.find(({ title }) => title === 'open_session') ?? never();
    const least = Math.min(...measure(opening, 20).map(({ computeUnits }) => computeUnits));
    expect(least).toBeLessThanOrEqual(35_000);
  });

  it('creating an account leaves room for thirty more steps of the address search', () => {
    const [create] = CASES;
    const most = Math.max(...measure(create ?? never(), 50).map(({ computeUnits }) => computeUnits));
    expect(most + 30 * 1_500).toBeLessThanOrEqual(COMPUTE_UNITS.createAccount);
  });
});

function never(): never {
  throw new Error('there are no cases');
}
