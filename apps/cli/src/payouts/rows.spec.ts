import { UsageError } from '../output/exit-codes';
import { MAX_ROWS, readPayouts } from './rows';

const read = (text: string, options: { from?: string; batch?: string } = { from: 'acct_a' }) => readPayouts(Buffer.from(text), options);
const keysOf = (text: string, options?: { from?: string; batch?: string }) => read(text, options).map(({ key }) => key);

test('a payouts file with quotes, a BOM, CRLF and empty lines becomes one order a row', () => {
  const text = '\ufeffTo,Amount,Memo\r\nacct_b,1.50,"rent, ""May"""\r\n\r\nacct_c,2,\r\n';
  expect(read(text)).toEqual([
    expect.objectContaining({ line: 2, from: 'acct_a', to: 'acct_b', amount: '1.50', memo: 'rent, "May"', isDerived: true }),
    { line: 4, from: 'acct_a', to: 'acct_c', amount: '2', key: expect.any(String), isDerived: true },
  ]);
});

test('the column `from` of a payouts file goes before --from', () => {
  expect(read('from,to,amount\nacct_x,acct_b,1\n,acct_b,1').map(({ from }) => from)).toEqual(['acct_x', 'acct_a']);
});

test('a derived key is the same at each run, differs by row, and changes with any byte of the file', () => {
  const text = 'to,amount\nb,1\nb,1';
  const [first, second] = keysOf(text);
  expect(keysOf(text)).toEqual([first, second]);
  expect(new Set([first, second, ...keysOf(`${text}\n`)]).size).toBe(4);
});

test('with a batch name a key stays when other rows change, counts equal rows, and differs by name', () => {
  const [one, other] = keysOf('to,amount\nb,1\nb,1', { from: 'a', batch: 'may' });
  expect(keysOf('to,amount\nc,2\nb,1\nb,1', { from: 'a', batch: 'may' }).slice(1)).toEqual([one, other]);
  expect(one).not.toBe(other);
  expect(keysOf('to,amount\nb,1', { from: 'a', batch: 'june' })).not.toContain(one);
});

test('a key of the column idempotency_key is kept, and may not be there twice', () => {
  expect(read('to,amount,idempotency_key\nb,1,mine')[0]).toMatchObject({ key: 'mine', isDerived: false });
  expect(() => read('to,amount,idempotency_key\nb,1,mine\nb,1,mine')).toThrow('line 3: idempotency_key is that of line 2');
});

test.each([
  ['to,amount\n,1', 'line 2: to is missing'],
  ['to,amount\nb,0.00', 'line 2: amount'],
  ['to,amount\nb,-1', 'line 2: amount'],
  ['to,amount\nb,1e3', 'line 2: amount'],
  ['to,amount\nb,1.0000001', 'line 2: amount'],
  [`to,amount,memo\nb,1,${'x'.repeat(201)}`, 'line 2: memo'],
  [`to,amount,idempotency_key\nb,1,${'x'.repeat(129)}`, 'line 2: idempotency_key'],
  ['to,amount\nb,1,2', 'no CSV'],
  ['to,amount\n"b,1', 'no CSV'],
  ['to\nb', 'column amount is missing'],
  ['to,amount,colour\nb,1,red', 'Unknown column colour'],
  ['to,amount,to\nb,1,c', 'twice'],
  ['to,amount\n', 'no rows'],
  ['', 'no rows'],
  [`to,amount\n${'b,1\n'.repeat(MAX_ROWS + 1)}`, `at most ${MAX_ROWS}`],
])('the payouts file %.30j is refused: %s', (text, problem) => {
  expect(() => read(text)).toThrow(UsageError);
  expect(() => read(text)).toThrow(problem);
});

test('a row without a paying account is refused', () => {
  expect(() => read('to,amount\nb,1', {})).toThrow('line 2: from is missing');
});
