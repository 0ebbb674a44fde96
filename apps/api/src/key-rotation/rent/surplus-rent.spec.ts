import type { Chain, SurplusRent } from '#chain';
import type { AccountRent } from '../../accounts';
import type { FleetsStore } from '../../fleets';
import type { JobsService } from '../../jobs/jobs.service';
import type { Metrics } from '../../runtime/observability/metrics';
import { SurplusRentService } from './surplus-rent.service';

const WORTH_IT = 50_000n;

/** A service over so many accounts and fleets; each address in `held` holds a surplus. */
function aService(accounts: number, fleets: number, held: Record<string, bigint>) {
  const rows = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(3, '0')}`);
  const after = (all: string[], id: string, limit: number) => all.filter((one) => one > id).slice(0, limit);
  const [read, returned]: [string[], string[]] = [[], []];
  const rent = {
    surplusOf: async (owners: string[]): Promise<SurplusRent[]> => {
      read.push(...owners);
      return owners.flatMap((owner) => (held[owner] ? [{ owner, creator: 'payer', hasPolicy: true, lamports: held[owner] }] : []));
    },
    returnSurplus: async (surplus: SurplusRent[]) => void returned.push(...surplus.map(({ owner }) => owner)),
  };
  const service = new SurplusRentService(
    { rent } as unknown as Chain,
    {
      openAfter: async (id: string, limit: number) => after(rows('acct', accounts), id, limit).map((one) => ({ id: one, address: one })),
    } as unknown as AccountRent,
    {
      openAfter: async (id: string, limit: number) => after(rows('flt', fleets), id, limit).map((one) => ({ id: one, chainAddress: one })),
    } as unknown as FleetsStore,
    {} as JobsService,
    {} as Metrics,
  );
  return { service, read, returned };
}

test('surplus rent is looked for in every open account and fleet, once a run', async () => {
  const { service, read } = aService(101, 50, {});
  await service.returnAll();
  expect([read.length, new Set(read).size]).toEqual([151, 151]);
});

test('surplus rent is returned from the amount on that is worth a transaction', async () => {
  const { service, returned } = aService(60, 1, { acct000: WORTH_IT - 1n, acct059: WORTH_IT, flt000: WORTH_IT + 1n });
  await service.returnAll();
  expect(returned).toEqual(['acct059', 'flt000']);
});
