import type { Schemas } from '#client';
import { given, listLimit, several } from '../../options';
import type { Register } from '../../context';
import { timeOf } from '../../output/output';

type ApiKey = Schemas['ApiKey'];
type CreateOptions = { type: 'agent' | 'operator'; name?: string; account?: string[]; host?: string[]; expiresAt?: string };

const COLUMNS = {
  name: ({ name }: ApiKey) => name,
  type: ({ type }: ApiKey) => type,
  prefix: ({ prefix }: ApiKey) => prefix,
  accounts: ({ account_ids }: ApiKey) => account_ids?.length ?? 'all',
  'last used': ({ last_used_at }: ApiKey) => timeOf(last_used_at),
  from: ({ last_used_ip }: ApiKey) => last_used_ip,
  key: ({ key_id }: ApiKey) => key_id,
};

/** `keys list | create | revoke` */
export const keys: Register = (program, context) => {
  const group = program.command('keys').description('keys of agents and operators');
  group
    .command('list')
    .description('list keys, without their secrets')
    .option('--limit <number>', 'how many', listLimit)
    .action(async ({ limit }: { limit?: number }) => context.list(context.client().apiKeys.list(), limit, COLUMNS));
  group
    .command('create')
    .description('create a key and print it, once')
    .option('--type <type>', 'agent or operator', 'agent')
    .option('--name <name>')
    .option('--account <id>', 'an account that an agent may spend from; repeat it for more', several)
    .option('--host <host>', 'a host that an agent may pay, or *.example.com; repeat it for more (default: any)', several)
    .option('--expires-at <time>', 'ISO 8601')
    .action(async ({ type, name, account, host, expiresAt }: CreateOptions) => {
      const wanted = given({ name, account_ids: account, allowed_hosts: host, expires_at: expiresAt });
      const created = await context.client().apiKeys.create({ type, ...wanted });
      context.note('The key is shown only now.');
      context.show(created, { key_id: created.key_id, type: created.type, name: created.name, key: created.key });
    });
  group
    .command('revoke')
    .description('revoke a key at once')
    .argument('<key>', 'its id, key_…')
    .action(async (id: string) => {
      await context.client().apiKeys.revoke(id);
      context.print({ key_id: id, revoked: true }, `${id} is revoked.`);
    });
};
