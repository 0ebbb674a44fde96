import { TypeOrmModule } from '@nestjs/typeorm';
import { startApp, type TestApp } from '../../../../../test/support/app';
import { RowMacs } from '../../secrets';
import { Account } from '../account.entity';
import { AccountMacs } from './account-macs';

let service: TestApp;
beforeAll(async () => void (service = await startApp({ imports: [TypeOrmModule.forFeature([Account])] })));
afterAll(() => service.close());

test('an account from before there were codes is genuine once its code was written', async () => {
  const id = await service.insertAccount();
  const rows = service.app.get(RowMacs);
  const macs = new AccountMacs(service.database, rows);
  macs.onModuleInit();
  const isGenuine = async (): Promise<boolean> => macs.isGenuine(await service.database.manager.findOneByOrFail(Account, { id }));
  await rows.rewrite();
  expect(await isGenuine()).toBe(false);
  await rows.rewrite({ areTrusted: true });
  expect(await isGenuine()).toBe(true);
});
