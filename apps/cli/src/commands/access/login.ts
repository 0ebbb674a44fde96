import { formatKey } from '../status';
import { UsageError } from '../../output/exit-codes';
import { removeSettings, storedBaseUrl, writeSettings } from '../../settings';
import type { Register } from '../../context';

const KEY = /^aps_(op|ag)_[1-9A-HJ-NP-Za-km-z]+$/;

/** `login`, `logout` */
export const login: Register = (program, context) => {
  program
    .command('login')
    .description('store a key in a file that only you can read; the key is asked for, or read from stdin')
    .option('--base-url <url>', 'where the service is (default: APS_BASE_URL, or the stored one)')
    .action(async ({ baseUrl = process.env.APS_BASE_URL || storedBaseUrl() }: { baseUrl?: string }) => {
      if (!baseUrl) throw new UsageError('Give --base-url, such as http://127.0.0.1:3000.');
      const key = await context.secret('Key: ');
      if (!KEY.test(key)) throw new UsageError('This is no key: it begins with aps_op_ or aps_ag_. Nothing was stored.');
      const me = await context.client({ key, baseUrl }).me();
      const path = writeSettings({ key, baseUrl });
      context.print({ ...me, base_url: baseUrl, path }, `Logged in to ${baseUrl} with ${formatKey(me)}. The key is in ${path}.`);
    });
  program
    .command('logout')
    .description('remove the stored key; it stays valid until it is revoked')
    .action(() => {
      const removed = removeSettings();
      context.print({ removed }, removed ? 'The stored key is removed.' : 'There was no stored key.');
    });
};
