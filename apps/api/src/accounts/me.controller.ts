import { Controller, Get } from '@nestjs/common';
import { AgentAllowed } from '../http/access';
import { Caller } from '../http/caller';
import { FleetReader } from '../fleets';
import { accountIdsOf, ApiKeysService, fleetIdsOf } from '../keys';
import type { MeView } from './accounts.dto';
import { AccountsService } from './accounts.service';

/** The key of the request. */
@Controller('me')
export class MeController {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly accounts: AccountsService,
    private readonly fleets: FleetReader,
  ) {}

  /** Returns the key of the request, its operator, the accounts that an agent key names, in the key's order, and its fleets. */
  @Get()
  @AgentAllowed()
  async show(@Caller() { operatorId, keyId }: Caller): Promise<MeView> {
    const key = await this.keys.find(operatorId, keyId);
    const { id, type, name, expiresAt } = key;
    const accountIds = accountIdsOf(key);
    const found = await this.accounts.findMany(operatorId, [...(accountIds ?? [])]);
    const byId = new Map(found.map((account) => [account.id, account]));
    const accounts = accountIds?.flatMap((accountId) => {
      const account = byId.get(accountId);
      return account
        ? [
            {
              account_id: account.id,
              name: account.name,
              handle: account.handle,
              chain_address: account.chainAddress,
              usdc_token_account: account.usdcTokenAccount,
            },
          ]
        : [];
    });
    const fleets = fleetIdsOf(key) && (await this.fleets.summaries(operatorId, fleetIdsOf(key) ?? []));
    const times = { expires_at: expiresAt?.toISOString() ?? null };
    return { key_id: id, type, name, ...times, operator_id: operatorId, accounts: accounts ?? null, fleets };
  }
}
