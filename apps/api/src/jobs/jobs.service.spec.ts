import { JobsService } from './jobs.service';

test.each(['', 'with:colon', 'Upper', 'x'.repeat(65)])('a job cannot be registered by the name %j', (name) => {
  expect(() => new JobsService().register({ name, everyMs: 1, run: async () => undefined })).toThrow('name');
});

test('a second job of the same name cannot be registered', () => {
  const jobs = new JobsService();
  jobs.register({ name: 'once', everyMs: 1, run: async () => undefined });
  expect(() => jobs.register({ name: 'once', everyMs: 1, run: async () => undefined })).toThrow('registered already');
});

test('jobs of the same period share a scheduler', () => {
  const jobs = new JobsService();
  const [one, two, other] = [1_000, 1_000, 2_000].map((everyMs, index) => ({ name: `job-${index}`, everyMs, run: async () => undefined }));
  for (const job of [one, two, other]) if (job) jobs.register(job);
  expect([...jobs.schedulers()]).toEqual([
    ['every-1000-ms', 1_000],
    ['every-2000-ms', 2_000],
  ]);
  expect(['every-1000-ms', 'every-2000-ms'].map((name) => jobs.scheduledBy(name))).toEqual([[one, two], [other]]);
});
