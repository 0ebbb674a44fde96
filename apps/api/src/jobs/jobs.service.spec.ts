import { JobsService } from './jobs.service';

test.each(['', 'with:colon', 'Upper', 'x'.repeat(65)])('%j cannot be the name of a sweeper', (name) => {
  expect(() => new JobsService().register({ name, everyMs: 1, run: async () => undefined })).toThrow('name');
});

test('no name is taken twice', () => {
  const sweeps = new JobsService();
  sweeps.register({ name: 'once', everyMs: 1, run: async () => undefined });
  expect(() => sweeps.register({ name: 'once', everyMs: 1, run: async () => undefined })).toThrow('one already');
});
