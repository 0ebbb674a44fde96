import { Controller, Get, Query, VERSION_NEUTRAL } from '@nestjs/common';
import { Caller } from '../../http/caller';
import { IsText, Trimmed } from '../../http/validation/checks';
import type { SearchView } from '../views';
import { SearchService } from './search.service';

/** Longer than a reference, a signature or a memo's sentence that is typed. */
const MAX_TEXT = 200;

export class SearchQuery {
  /** A word of a name or memo, an id, handle, address, key, reference, signature, host or amount. */
  @Trimmed()
  @IsText({ min: 1, max: MAX_TEXT })
  q: string;
}

/** The search of the dashboard. */
@Controller({ path: 'dashboard/data/search', version: VERSION_NEUTRAL })
export class SearchController {
  constructor(private readonly found: SearchService) {}

  /** The hits of a text among the operator's accounts, transfers and payments. */
  @Get()
  search(@Query() { q }: SearchQuery, @Caller() { operatorId }: Caller): Promise<SearchView> {
    return this.found.search(operatorId, q);
  }
}
