import { Injectable } from '@nestjs/common';
import { type Account, AccountsService } from '../accounts';
import { type Caller, requireCover } from '../http/caller';
import { InvalidRequest } from '../http/domain.errors';
import { encodeCursor, type Page } from '../lists/pages';
import { formatUsdc, parseUsdc } from '../money/usdc';
import { PaymentForecasts } from '../payments';
import type { CatalogueEntry } from './catalogue-entries';
import { CataloguesService } from './catalogues.service';
import type { ListServicesQuery, ServiceView } from './services.dto';

/** Services that the chain is asked about at once, and for one page at most. */
const AT_ONCE = 8;
const MOST_ASKED = 200;
/** Above every price. */
const MAX_MICRO_USDC = (1n << 63n) - 1n;

interface PricedEntry extends CatalogueEntry {
  microUsdc: bigint;
}

/** Finds services that an account could pay now. */
@Injectable()
export class ServicesService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly catalogues: CataloguesService,
    private readonly forecasts: PaymentForecasts,
  ) {}

  /** A page of what stands in the operator's catalogues and the account could pay now, cheapest first. @throws ChainUnavailable */
  async list(caller: Caller, query: ListServicesQuery): Promise<Page<ServiceView>> {
    const account = await this.accountOf(caller, query);
    const max = query.max_amount === undefined ? MAX_MICRO_USDC : parseUsdc(query.max_amount);
    const priced = this.priced(await this.catalogues.entries(caller.operatorId), max).filter(matching(query.query));
    const found: ServiceView[] = [];
    const first = Number(query.cursor ?? 0);
    const last = Math.min(priced.length, first + MOST_ASKED);
    let place = first;
    while (place < last && found.length < query.limit) {
      const some = priced.slice(place, Math.min(last, place + Math.min(AT_ONCE, query.limit - found.length)));
      place += some.length;
      const views = await Promise.all(some.map((entry) => this.viewIfPayable(caller, account, entry, max)));
      found.push(...views.filter((view) => view !== undefined));
    }
    const hasMore = place < priced.length;
    return { data: found, cursor: hasMore ? encodeCursor(`${place}`) : null, has_more: hasMore };
  }

  /** @throws InvalidRequest if the key has several accounts and none is named; NotFound */
  private async accountOf(caller: Caller, { account_id: named }: ListServicesQuery): Promise<Account> {
    const [first, ...others] = caller.accountIds ?? [];
    const id = named ?? (others.length === 0 ? first : undefined);
    if (id === undefined) throw InvalidRequest.field('account_id', 'is required unless the key has one account');
    requireCover(caller, id);
    return this.accounts.find(caller.operatorId, id);
  }

  /** The services with a price on this chain, cheapest first, and in the order of their URLs at one price. */
  private priced(entries: CatalogueEntry[], max: bigint): PricedEntry[] {
    const priced = entries.flatMap((entry) => {
      const microUsdc = this.forecasts.priceOf(entry.demand, entry.url, max);
      return microUsdc === undefined ? [] : [{ ...entry, microUsdc }];
    });
    const unique = [...new Map(priced.map((entry) => [entry.url, entry])).values()];
    return unique.sort((one, other) =>
      one.microUsdc === other.microUsdc ? (one.url < other.url ? -1 : 1) : one.microUsdc < other.microUsdc ? -1 : 1,
    );
  }

  private async viewIfPayable(caller: Caller, account: Account, entry: PricedEntry, max: bigint): Promise<ServiceView | undefined> {
    const { url, description, demand } = entry;
    const way = await this.forecasts.wayTo({ caller, account, url, demand, maxMicroUsdc: max });
    return (
      way && {
        url,
        description,
        provider: new URL(url).origin,
        protocol: way.protocol,
        method: way.method,
        amount_usdc: formatUsdc(way.microUsdc),
        metered: way.method === 'channel',
        category: way.category,
      }
    );
  }
}

/** Whether an entry has all words of a query. */
function matching(query: string | undefined): (entry: CatalogueEntry) => boolean {
  const words = (query ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  return ({ url, description }) => {
    const text = `${url} ${description ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
}
