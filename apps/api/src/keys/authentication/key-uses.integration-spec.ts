import { startApp, type TestApp } from '../../../../../test/support/app';
import { eventually } from '../../../../../test/support/eventually';
import { KeyUses } from './key-uses';

let service: TestApp;
beforeAll(async () => void (service = await startApp()));
afterAll(() => service.close());

const ids = async (): Promise<string[]> =>
  (await service.send('get', '/v1/api_keys').expect(200)).body.data.map(({ key_id }: { key_id: string }) => key_id);

test('keys used within two minutes are others than those known, and older uses are none', async () => {
  const uses = service.app.get(KeyUses);
  const known = await ids();
  await eventually(async () => expect(await uses.areOthers([])).toBe(true));
  expect(await uses.areOthers(known)).toBe(false);
  expect(await uses.areOthers(['key_other'])).toBe(true);
  service.clock.advance({ seconds: 120 });
  expect(await uses.areOthers([])).toBe(false);
});
