import { JobsService } from './jobs.service';

test.each(['', 'with:colon', 'Upper', 'x'.repeat(65)])('a job cannot be registered by the name %j', (name) => {
  expect(() => new JobsService().register({ name, everyMs: 1, run: async () => undefined })).toThrow('name');
});

test('a second job of the same name cannot be registered', () => {
  const jobs = new JobsService();
  jobs.register({ name: 'once', everyMs: 1, run: async () => undefined });
  expect(() => jobs.register({ name: 'once', everyMs: 1, run: async () => undefined })).toThrow('registered already');
});
