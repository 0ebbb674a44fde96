import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { Caller, requireKey } from '../../http/caller';
import { Answers } from '../../http/answers';
import type { Page } from '../../lists/pages';
import { CreateApiKeyDto, ListApiKeysQuery, type ApiKeyView, type NewApiKeyView } from './api-keys.dto';
import { ApiKeysService } from './api-keys.service';

/** The API keys of an operator and its agents. */
@Controller('api_keys')
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  /** Creates an API key. The response is the only one that contains `key`. */
  @Post()
  @HttpCode(201)
  create(@Body() wanted: CreateApiKeyDto, @Caller() caller: Caller): Promise<NewApiKeyView> {
    if (wanted.type === 'operator') requireKey(caller);
    return this.keys.create(caller, wanted);
  }

  /** Lists the API keys, without their secrets. */
  @Get()
  list(@Query() query: ListApiKeysQuery, @Caller() caller: Caller): Promise<Page<ApiKeyView>> {
    return this.keys.list(caller.operatorId, query);
  }

  /** Revokes an API key at once. The last operator key cannot be revoked. */
  @Delete(':id')
  @HttpCode(204)
  @Answers({ errors: ['conflict'] })
  revoke(@Param('id') id: string, @Caller() caller: Caller): Promise<void> {
    return this.keys.revoke(caller, id);
  }
}
