import { QueryFailedError } from 'typeorm';
import { storageFault } from './faults';

const withCode = (code: string, more: object = {}): Error => Object.assign(new Error('x'), { code, ...more });

const REFUSED = ['53100', '53200', '53300', '57P03', '57014', '58030', '25006', '3D000', '28P01', '08001'];

test.each(REFUSED)('SQLSTATE %s: the statement was not executed', (code) => {
  expect(storageFault(withCode(code))).toBe('not_executed');
});

test.each(['57P01', '57P02', '08006'])('SQLSTATE %s: whether the statement was committed is unknown', (code) => {
  expect(storageFault(withCode(code))).toBe('unknown');
});

test.each(['23505', '42601', '40P01', '22P02', 'P0001'])('SQLSTATE %s is no fault of the database', (code) =>
  expect(storageFault(withCode(code))).toBeUndefined(),
);

test('a refused connection executed nothing, a connection that is cut may have', () => {
  expect(storageFault(withCode('ECONNREFUSED', { syscall: 'connect' }))).toBe('not_executed');
  expect(storageFault(withCode('ETIMEDOUT', { syscall: 'connect' }))).toBe('not_executed');
  expect(storageFault(withCode('ENOENT', { syscall: 'connect' }))).toBe('not_executed');
  expect(storageFault(withCode('ENOENT', { syscall: 'open' }))).toBeUndefined();
  expect(storageFault(withCode('ECONNRESET', { syscall: 'read' }))).toBe('unknown');
  expect(storageFault(withCode('EPIPE', { syscall: 'write' }))).toBe('unknown');
  expect(storageFault(new Error('Connection terminated unexpectedly'))).toBe('unknown');
  expect(storageFault(new Error('Query read timeout'))).toBe('unknown');
  expect(storageFault(new Error('timeout exceeded when trying to connect'))).toBe('not_executed');
});

test('the error that TypeORM wraps is looked at', () =>
  expect(storageFault(new QueryFailedError('SELECT 1', [], withCode('53300')))).toBe('not_executed'));

test('other errors are no fault of the database', () => {
  for (const error of [new Error('x'), new TypeError('x'), withCode('ENOENT'), 'x', undefined]) expect(storageFault(error)).toBeUndefined();
});
