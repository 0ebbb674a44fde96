/** The message authentication codes that the shared service writes, for tests that put its database into the state of a crash. */
import { Config } from '../../apps/api/src/runtime/config';
import { EncryptionService, RowMacs } from '../../apps/api/src/secrets';
import { settingsOf } from './operators';
import { sharedService } from './service';

export function rowMac(purpose: Parameters<RowMacs['of']>[0], facts: unknown[]): Buffer {
  const key = Buffer.from(settingsOf(sharedService()).OPERATOR_KEY_ENCRYPTION_KEY ?? '', 'base64');
  return new RowMacs(new EncryptionService(Object.assign(new Config(), { OPERATOR_KEY_ENCRYPTION_KEY: key }))).of(purpose, facts);
}
