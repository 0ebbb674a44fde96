import { Controller, Get } from '@nestjs/common';
import { AgentAllowed } from '../http/access';
import { Caller } from '../http/caller';
import { ApiKeysService } from '../keys';
import type { MeView } from './accounts.dto';
import { AccountsService } from './accounts.service';

/** The key of the request. */
@Controller('me')
export class MeController {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly accounts: AccountsService,
  ) {}

  /** Returns the key of the request, its operator, and the accounts that an agent key may use, in the key's order. */
  @Get()
  @AgentAllowed()
  async show(@Caller() { operatorId, keyId, accountIds }: Caller): Promise<MeView> {
    const { id, type, name, expiresAt } = await this.keys.find(operatorId, keyId);
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
    return { key_id: id, type, name, expires_at: expiresAt?.toISOString() ?? null, operator_id: operatorId, accounts: accounts ?? null };
  }
}
