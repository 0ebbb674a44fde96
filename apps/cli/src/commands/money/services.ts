import type { Schemas } from '#client';
import type { Register } from '../../context';
import { amount, given, listLimit } from '../../options';

type Service = Schemas['Service'];

const COLUMNS = {
  url: ({ url }: Service) => url,
  price: ({ amount_usdc }: Service) => amount_usdc,
  method: ({ protocol, method }: Service) => `${protocol} ${method}`,
  category: ({ category }: Service) => category ?? '',
  description: ({ description }: Service) => description ?? '',
};

interface FindOptions {
  account?: string;
  maxAmount?: string;
  limit?: number;
}

/** `services find | catalogues` */
export const services: Register = (program, context) => {
  const group = program.command('services').description('paid services in the catalogues that the operator allows');
  group
    .command('find')
    .description('list services that an account could pay now, cheapest first')
    .argument('[words...]', 'words that the URL or the description has')
    .option('--account <id>', 'which would pay (default: APS_ACCOUNT, or the only one of an agent key)')
    .option('--max-amount <usdc>', 'most that one call may cost', amount)
    .option('--limit <number>', 'how many', listLimit)
    .action(async (words: string[], { account, maxAmount, limit }: FindOptions) => {
      const client = context.client();
      const query = given({ query: words.length > 0 ? words.join(' ') : undefined, max_amount: maxAmount });
      return context.list(client.services.list({ account_id: await context.account(client, account), ...query }), limit, COLUMNS);
    });
  group
    .command('catalogues')
    .description('show the catalogues, or replace them')
    .argument('[urls...]', 'the discovery resources of x402 facilitators, or JSON lists')
    .option('--none', 'allow none')
    .action(async (urls: string[], { none }: { none?: boolean }) => {
      const client = context.client();
      const catalogues = urls.length > 0 || none ? await client.services.setCatalogues(urls) : await client.services.catalogues();
      context.print(catalogues, catalogues.urls.length === 0 ? 'None.' : catalogues.urls.join('\n'));
    });
};
