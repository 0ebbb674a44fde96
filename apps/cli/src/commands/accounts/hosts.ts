import type { Schemas } from '#client';
import type { Register } from '../../context';
import { listOf } from '../../options';

/** `hosts show | set` */
export const hosts: Register = (program, context) => {
  const group = program.command('hosts').description('the hosts that an account may pay; the service enforces them');
  group
    .command('show')
    .description('the hosts of an account')
    .argument('<account>', 'its id')
    .action(async (id: string) => {
      const current = await context.client().accounts.hosts(id);
      context.print(current, wordsOf(current));
    });
  group
    .command('set')
    .description('replace the hosts of an account')
    .argument('<account>', 'its id')
    .argument('<hosts>', 'any, none, or a list by commas, such as api.example.com,*.example.org')
    .action(async (id: string, list: string) => {
      const changed = await context.client().accounts.setHosts(id, listOf(list));
      context.print(changed, wordsOf(changed));
    });
};

function wordsOf({ hosts: list }: Schemas['Hosts']): string {
  if (list === null) return 'any';
  return list.length === 0 ? 'none' : list.join('\n');
}
