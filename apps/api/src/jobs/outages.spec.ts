import { ChainUnavailableError } from '#chain';
import { Outages } from './outages';

const warnings: string[] = [];
const outages = new Outages({ warn: (text: string) => void warnings.push(text) });
const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

test('an outage of the chain or the database is logged once when it begins and once when it ends', () => {
  for (let count = 0; count < 3; count++) expect(outages.note(new ChainUnavailableError('no slot'))).toBe(true);
  expect(outages.note(refused)).toBe(true);
  expect(outages.takeQuiet()).toEqual([]);
  outages.note(refused);
  expect(outages.takeQuiet()).toEqual(['chain']);
  expect(outages.takeQuiet()).toEqual(['chain', 'database']);
  outages.end('chain');
  outages.end('chain');
  outages.end('database');
  expect(warnings).toEqual([
    'Background work waits for the chain: the chain is unavailable: no slot',
    'Background work waits for the database: connect ECONNREFUSED',
    'The chain is available again.',
    'The database is available again.',
  ]);
});

test('an error that reports no outage is left to the caller', () => expect(outages.note(new Error('bug'))).toBe(false));
