import { addLogIds, withLogIds } from './log-context';
import { ServiceLogger } from './logger';

let lines: string[];
beforeEach(() => {
  lines = [];
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
});
afterEach(() => jest.restoreAllMocks());
const lastLine = () => JSON.parse(lines.at(-1) ?? '');

test('a line in JSON has the ids of its request, and those that are added meanwhile, and no others’', async () => {
  const logger = new ServiceLogger('log', 'json');
  await Promise.all([
    withLogIds({ request_id: 'r1' }, async () => {
      addLogIds({ operator_id: 'op_1' });
      await Promise.resolve();
      withLogIds({ order_id: 'tr_1' }, () => logger.log('landed', 'Orders'));
      expect(lastLine()).toMatchObject({ level: 'info', context: 'Orders', message: 'landed', request_id: 'r1', operator_id: 'op_1' });
      expect(lastLine().order_id).toBe('tr_1');
      logger.warn('later', 'Orders');
      expect(lastLine().order_id).toBeUndefined();
    }),
    withLogIds({ request_id: 'r2' }, () => logger.error('failed', 'Error: x\n  at y', 'Error')),
  ]);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'error', stack: 'Error: x\n  at y', request_id: 'r2' });
  logger.log('outside of any work', 'Main');
  expect(lastLine()).toEqual({ time: expect.any(String), level: 'info', context: 'Main', message: 'outside of any work' });
});

test.each(['json', 'text'] as const)('secrets do not reach the log in %s', (format) => {
  const key = `aps_ag_${'k'.repeat(40)}`;
  const logger = new ServiceLogger('log', format);
  logger.warn(`Bearer ${key}, ${key}, whsec_${'A'.repeat(43)}=, postgres://aps:hunter22@db/aps`, 'Test');
  logger.error('failed', `Error: of ${key}`, 'Test');
  const text = lines.join('');
  for (const secret of [key, 'AAAA', 'hunter22']) expect(text).not.toContain(secret);
  expect(text).toContain('postgres://aps:[redacted]@db/aps');
});

test('text for a terminal stays text', () => {
  new ServiceLogger('log', 'text').log('ready', 'Main');
  expect(lines.join('')).toMatch(/LOG \[Main\] ready\n$/);
});
