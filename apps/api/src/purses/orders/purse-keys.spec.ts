import type { Chain } from '#chain';
import type { EncryptionService } from '../../secrets';
import { PurseKeys } from './purse-keys';

const encryption = { seal: () => 'sealed' } as unknown as EncryptionService;
const asked: string[] = [];
/** A chain on which the third key of a purse has a token account that is found at once. */
const chain = { channelPurses: { isFoundAtOnce: (key: string) => asked.push(key) % 3 === 0 } } as unknown as Chain;
const keys = new PurseKeys(encryption, chain);

test('the key of a channel purse is one whose token account is found at once; that of an allowance is any', () => {
  const { delegateKey } = keys.generate('purse_1', 'channel');
  expect(asked).toHaveLength(3);
  expect(asked[2]).toBe(delegateKey);
  keys.generate('purse_2', 'allowance');
  expect(asked).toHaveLength(3);
});
