import { Logger } from '@nestjs/common';
import { Executions } from './executions';

const LEASE_MS = 30;
const MAX_WORK_MS = 200;

class TestExecutions extends Executions<string> {
  protected readonly logger = new Logger('Test');
  renewed: string[][] = [];

  start(id: string, work: Promise<string>): Promise<string> {
    return this.track(id, work);
  }

  find(id: string): Promise<string> | undefined {
    return this.runningOn(id);
  }

  protected async renewLeases(ids: string[]): Promise<void> {
    this.renewed.push(ids);
  }
}

let executions: TestExecutions;
beforeEach(() => {
  jest.useFakeTimers();
  jest.spyOn(Logger.prototype, 'error').mockImplementation();
  executions = new TestExecutions(LEASE_MS, MAX_WORK_MS);
  executions.onModuleInit();
});
afterEach(() => {
  executions.onModuleDestroy();
  jest.restoreAllMocks();
  jest.useRealTimers();
});

const hanging = (): Promise<string> => new Promise(() => undefined);

test('a row is leased and its work shared while the work runs', () => {
  const work = hanging();
  void executions.start('a', work);
  jest.advanceTimersByTime(LEASE_MS);
  expect(executions.renewed).toContainEqual(['a']);
  expect(executions.find('a')).toBe(work);
});

test('work that has ended is not shared', async () => {
  await executions.start('a', Promise.resolve('done'));
  expect(executions.find('a')).toBeUndefined();
});

test('work that hangs loses its lease, so that another process can finish the row', () => {
  void executions.start('a', hanging());
  jest.advanceTimersByTime(MAX_WORK_MS + LEASE_MS);
  expect(executions.find('a')).toBeUndefined();
  expect(Logger.prototype.error).toHaveBeenCalledWith(expect.stringContaining('a hangs'));
});

test('work that ends late does not end newer work on the same row', async () => {
  let end: (value: string) => void = () => undefined;
  const late = executions.start('a', new Promise((resolve) => (end = resolve)));
  jest.advanceTimersByTime(MAX_WORK_MS + LEASE_MS);
  expect(executions.find('a')).toBeUndefined();
  const newer = hanging();
  void executions.start('a', newer);
  end('late');
  await late;
  expect(executions.find('a')).toBe(newer);
});
