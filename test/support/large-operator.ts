/** An operator of 200 accounts with 50,000 transfers and 2,000 payments. */
import { Client } from 'pg';
import { api, type Api } from './api';
import { fillHistory } from './history';
import type { Service } from './service';
import { bodyOf } from './world';

const ACCOUNTS = 200;
const TRANSFERS = 50_000;
const PAYMENTS = 2_000;

/** Creates the accounts of the service's operator and loads the history. `isWaiting`: whether some transfers wait for approval. */
export async function fillLargeOperator(service: Service, { isWaiting = true } = {}): Promise<void> {
  const operator = api(service.baseUrl, service.operatorKey);
  const accountIds = await newAccounts(operator);
  const { operator_id: operatorId } = bodyOf(await operator.get('/v1/me'), 200);
  const database = new Client({ connectionString: service.sandbox.database_url });
  await database.connect();
  try {
    const size = { operatorId, accountIds, transfers: TRANSFERS, payments: PAYMENTS, isWaiting };
    await fillHistory((text, values) => database.query(text, values), size);
  } finally {
    await database.end();
  }
}

/** Accounts `Agent 001`, `Agent 002` and so on. */
async function newAccounts(operator: Api): Promise<string[]> {
  const names = Array.from({ length: ACCOUNTS }, (_, index) => `Agent ${String(index + 1).padStart(3, '0')}`);
  const ids: string[] = [];
  const create = async (): Promise<void> => {
    for (let name = names.shift(); name !== undefined; name = names.shift())
      ids.push(bodyOf(await operator.post('/v1/accounts', { name }), 201).account_id);
  };
  await Promise.all(Array.from({ length: 8 }, create));
  return ids;
}
