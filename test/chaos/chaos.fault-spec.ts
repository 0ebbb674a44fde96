import { FAULTS } from './faults';
import { runRound } from './round';
import { Site } from './site';

jest.setTimeout(300_000);

const SEED = 20_261_121;

let site: Site;
beforeAll(async () => void (site = await Site.start()));
afterAll(() => site.stop());

const named = (name: string) => FAULTS.filter((fault) => fault.name.startsWith(name));

test.each([
  ['worker killed, and the clock steps', [...named('worker'), ...named('clock')]],
  ['chain killed, and stale', [...named('chain'), ...named('lags')]],
  ['database killed', named('database killed')],
  ['database stopped', named('database stopped')],
  ['database out of connections', named('database out')],
  ['database full', named('database full')],
  ['answers lost, and the API killed', [...named('takes'), ...named('api')]],
  ['landed is "not found", and garbage', [...named('landed'), ...named('garbage')]],
  ['blockhashes expire', named('blockhashes')],
])(
  'thirty transfers, four charges and eight x402 payments are each made once or refused for a reason, no request is 500, and the ledger equals the chain: %s',
  async (_name, faults) => {
    const { complaints } = await runRound(site, SEED, faults);
    expect(complaints).toEqual([]);
  },
);

test('chaos: reconciliation finds nothing after all rounds', async () => {
  expect(await site.reconcile()).toMatchObject({ drifts: [], repaired: [], unexplained: [], sums: [] });
});
