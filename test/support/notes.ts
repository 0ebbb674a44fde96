/** An application with a route of each kind, for tests of the rules that all routes share. */
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ChainUnavailableError } from '#chain';
import { AgentAllowed, Public } from '../../apps/api/src/http/access';
import { DomainError } from '../../apps/api/src/http/domain.errors';
import {
  IsMetadata,
  IsNullable,
  IsOmittable,
  IsText,
  IsTextList,
  IsUsdcAmount,
  IsUsdcLimit,
} from '../../apps/api/src/http/validation/checks';
import { pageQuery } from '../../apps/api/src/lists/pages';
import { startApp, type TestApp } from './app';

class NoteDto {
  @IsText({ min: 1, max: 5 })
  name: string;

  @IsOmittable()
  @IsMetadata()
  metadata?: Record<string, unknown>;

  @IsOmittable()
  @IsTextList({ max: 3, item: { min: 1, max: 3 } })
  tags?: string[];

  @IsOmittable()
  @IsUsdcAmount()
  amount?: string;

  @IsNullable()
  @IsUsdcLimit()
  limit?: number | null;

  @IsOmittable()
  @IsText({ max: 30 })
  due_at?: string;
}

class ListQuery extends pageQuery({ of: 'key', size: 2, max: 10 }) {}

@Controller('notes')
class NotesController {
  @Public()
  @Post()
  @HttpCode(200)
  create(@Body() note: NoteDto): NoteDto {
    return note;
  }

  @Post('operator')
  @HttpCode(200)
  operatorOnly(@Body() note: NoteDto): NoteDto {
    return note;
  }

  @AgentAllowed()
  @Post('agent')
  @HttpCode(200)
  agent(@Body() note: NoteDto): NoteDto {
    return note;
  }

  @Public()
  @Get('list')
  list(@Query() query: ListQuery): unknown {
    return { limit: query.limit, cursor: query.cursor ?? null };
  }

  @Public()
  @Get('boom')
  boom(): void {
    throw new Error('password=hunter2');
  }

  @Public()
  @Get('away')
  away(): void {
    throw new DomainError({
      code: 'chain_unavailable',
      status: 503,
      message: 'The chain is away.',
      details: { a: 1 },
      headers: { 'Retry-After': '2' },
    });
  }

  @Public()
  @Get('unreachable')
  readUnreachable(): void {
    throw new ChainUnavailableError('no node answers');
  }

  @Public()
  @Post('unreachable')
  writeUnreachable(): void {
    throw new ChainUnavailableError('no node answers');
  }

  @Public()
  @Get('by-id/:id')
  byId(@Param('id') id: string): unknown {
    return { id };
  }
}

export interface NotesApp extends TestApp {
  /** Creates a note without a key. */
  post(body: unknown): ReturnType<TestApp['send']>;
  /** Sends a text or bytes as the body of a note. */
  postText(text: string | Buffer, type?: string): ReturnType<TestApp['send']>;
}

/** Starts the application. */
export async function startNotes(): Promise<NotesApp> {
  const app = await startApp({ controllers: [NotesController] });
  const create = (): ReturnType<TestApp['send']> => app.send('post', '/v1/notes', null);
  return {
    ...app,
    post: (body) => create().send(body as object),
    postText: (text, type = 'application/json') => create().set('Content-Type', type).send(text),
  };
}
