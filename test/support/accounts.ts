/** Rows of operators and accounts in the database, without a chain. */

/** The members of a row that a spec names. The others are filled in. */
interface AccountRow {
  id: string;
  operatorId: string;
  /** Default: open. */
  state?: string;
  /** When the account was last read from the chain. Default: never. */
  readAt?: Date | null;
}

interface Queries {
  query(text: string, values: unknown[]): Promise<unknown>;
}

/** Inserts an operator whose keys sign nothing. */
export async function insertOperator(database: Queries, id: string): Promise<void> {
  await database.query(`INSERT INTO operators (id, name, chain_key, chain_key_sealed) VALUES ($1, 'o', 'k', 's')`, [id]);
}

/** Inserts an account. Its handle and its addresses are its id. */
export async function insertAccount(database: Queries, { id, operatorId, state = 'open', readAt = null }: AccountRow): Promise<void> {
  await database.query(
    `INSERT INTO accounts (id, operator_id, name, name_key, handle, state, creator, chain_address, usdc_token_account, authority_key,
       authority_key_sealed, policy, read_at) VALUES ($1, $2, 'a', 'a', $1, $3, 'c', $1, $1, 'k', 's', '{}', COALESCE($4::timestamptz, '-infinity'))`,
    [id, operatorId, state, readAt],
  );
}
