import { IsText, Trimmed } from '../../http/validation/checks';

const LIST = { min: 1, max: 40, pattern: /^\/[a-z_]+$/, patternMessage: 'must be the path of a list, such as /transfers' };

export class SavedViewsQuery {
  /** The path of the list below /dashboard. */
  @IsText(LIST)
  list: string;
}

export class SavedViewNameDto extends SavedViewsQuery {
  /** The name of the view, of which a list has one. */
  @Trimmed()
  @IsText({ min: 1, max: 60 })
  name: string;
}

export class SavedViewDto extends SavedViewNameDto {
  /** The query of the list's URL, with its question mark; empty for the list without filters. */
  @IsText({ max: 2000, pattern: /^(\?.*)?$/, patternMessage: 'must be empty or begin with a question mark' })
  search: string;
}
