import { Body, Controller, Delete, Get, HttpCode, Post, Query, VERSION_NEUTRAL } from '@nestjs/common';
import { Caller } from '../../http/caller';
import type { SavedView } from '../views';
import { SavedViewDto, SavedViewNameDto, SavedViewsQuery } from './saved-views.dto';
import { SavedViewsService } from './saved-views.service';

/** The saved views of the dashboard's lists: read, saved and removed by the operator's browsers. */
@Controller({ path: 'dashboard/data/views', version: VERSION_NEUTRAL })
export class SavedViewsController {
  constructor(private readonly views: SavedViewsService) {}

  @Get()
  async list(@Query() { list }: SavedViewsQuery, @Caller() { operatorId }: Caller): Promise<{ data: SavedView[] }> {
    return { data: await this.views.list(operatorId, list) };
  }

  @Post()
  @HttpCode(204)
  save(@Body() dto: SavedViewDto, @Caller() { operatorId }: Caller): Promise<void> {
    return this.views.save(operatorId, dto);
  }

  @Delete()
  @HttpCode(204)
  remove(@Body() dto: SavedViewNameDto, @Caller() { operatorId }: Caller): Promise<void> {
    return this.views.remove(operatorId, dto);
  }
}
