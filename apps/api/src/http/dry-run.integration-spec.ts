import { startApp, type TestApp } from '../../../../test/support/app';

let service: TestApp;
beforeAll(async () => void (service = await startApp()));
afterAll(() => service.close());

test.each(['?dry_run=true', '?dry_run=false', '?dry_run'])('a change with %s is 400, and is not made', async (query) => {
  const keys = async (): Promise<unknown> => (await service.send('get', '/v1/api_keys').expect(200)).body.data;
  const before = await keys();
  const { body } = await service.send('post', `/v1/api_keys${query}`).send({ type: 'operator' }).expect(400);
  expect(body.details).toEqual([{ field: 'dry_run', message: 'must be the header Dry-Run: true' }]);
  expect(await keys()).toEqual(before);
});

test('Dry-Run at a route without dry runs is 400, and at one that reads it is nothing', async () => {
  const { body } = await service.send('post', '/v1/api_keys').set('Dry-Run', 'true').send({ type: 'operator' }).expect(400);
  expect(body.details).toEqual([{ field: 'Dry-Run', message: 'is not supported by this request' }]);
  await service.send('get', '/v1/api_keys').set('Dry-Run', 'true').expect(200);
});
