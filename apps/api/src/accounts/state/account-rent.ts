import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Chain, DATA_BYTES, OVERHEAD_BYTES } from '#chain';
import { sql } from '#database';

/** Rent of open accounts: of the account, its token account and its own policy with its lists. */
export interface AccountRentView {
  accounts: number;
  /** Of data on chain, without what the runtime adds for every account. */
  bytes: number;
  /** At the chain's present rate; it comes back when an account is closed. */
  lamports: string;
}

const { account, tokenAccount, policy, entry } = DATA_BYTES;

/** The space of accounts' data on chain, and its rent. */
@Injectable()
export class AccountRent {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly chain: Chain,
  ) {}

  /** Of an operator; null for all. @throws ChainUnavailableError */
  async of(operatorId: string | null): Promise<AccountRentView> {
    const { text, values } = sql`SELECT count(*)::int AS accounts,
        count(*) FILTER (WHERE has_own_policy)::int AS policies,
        COALESCE(sum(CASE WHEN has_own_policy THEN COALESCE(jsonb_array_length(NULLIF(policy -> 'allowed_counterparties', 'null')), 0)
          + COALESCE(jsonb_array_length(NULLIF(policy -> 'categories', 'null')), 0) ELSE 0 END), 0)::int AS entries
      FROM accounts WHERE state = 'open' AND (${operatorId}::text IS NULL OR operator_id = ${operatorId})`;
    const [counted] = await this.database.query<[{ accounts: number; policies: number; entries: number }]>(text, values);
    const { accounts, policies, entries } = counted;
    const bytes = accounts * (account + tokenAccount) + policies * policy + entries * entry;
    const charged = bytes + (2 * accounts + policies) * OVERHEAD_BYTES;
    const lamports = BigInt(charged) * (await this.chain.rent.lamportsPerByte());
    return { accounts, bytes, lamports: lamports.toString() };
  }

  /** The addresses of open accounts of all operators after an id, in the order of the ids. */
  openAfter(id: string, limit: number): Promise<{ id: string; address: string }[]> {
    return this.database.query(`SELECT id, chain_address AS address FROM accounts WHERE state = 'open' AND id > $1 ORDER BY id LIMIT $2`, [
      id,
      limit,
    ]);
  }
}
