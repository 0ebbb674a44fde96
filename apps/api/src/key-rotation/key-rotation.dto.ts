import { IsOmittable, IsText } from '../http/checks';

const DESTINATION = { min: 1, max: 64 };

/** Closes an account. */
export class CloseAccountDto {
  /** Where the balance is moved: a USDC token account, or an account_id or handle of the operator. Without it the account must be empty. */
  @IsOmittable()
  @IsText(DESTINATION)
  destination?: string;
}

/** Moves USDC that arrived at a closed account. */
export class SweepAccountDto {
  /** A USDC token account, or an account_id or handle of the operator. */
  @IsText(DESTINATION)
  destination!: string;
}
