/** The queries of lists whose rows belong to accounts. `AccountsService.listed` finds the accounts of a query. */
import type { IdPrefix } from '#database';
import { IsOmittable, IsText } from '../http/validation/checks';
import { declareField } from '../http/validation/schemas';
import { type PageRequest, pageQuery } from '../lists/pages';
import { IsLabelFilter } from './accounts.dto';

/** Longer than the id or handle of any account or fleet. */
const ID = { min: 1, max: 128 };

export interface AccountsRequest {
  account_id?: string;
  fleet_id?: string;
}

export interface LabelledAccountsRequest extends AccountsRequest {
  label?: string[];
}

/** The description of a field of a class that the API's description does not know by name. */
const Described =
  (description: string): PropertyDecorator =>
  (target, property) =>
    declareField(target, property, { schema: { description } });

/** The base class of a list's query that filters by account and by fleet: `class ListPursesQuery extends accountsQuery({ of: 'purse' }) {}`. */
export function accountsQuery({ of }: { of: IdPrefix }): new () => PageRequest & AccountsRequest {
  class AccountsQuery extends pageQuery({ of }) implements AccountsRequest {
    @IsOmittable()
    @IsText(ID)
    account_id?: string;

    @Described('Only those of accounts that are in this fleet now.')
    @IsOmittable()
    @IsText(ID)
    fleet_id?: string;
  }
  return AccountsQuery;
}

/** As `accountsQuery`, also by labels. */
export function labelledAccountsQuery({ of }: { of: IdPrefix }): new () => PageRequest & LabelledAccountsRequest {
  class LabelledAccountsQuery extends accountsQuery({ of }) implements LabelledAccountsRequest {
    @Described('Only those of accounts that have this label. Given several times: all of them.')
    @IsLabelFilter()
    label?: string[];
  }
  return LabelledAccountsQuery;
}
