import { connect } from 'node:net';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ChainUnavailableError } from '#chain';
import { startApp, type TestApp } from '../../../../test/support/app';
import { AgentAllowed, Public } from './access';
import { IsMetadata, IsNullable, IsOmittable, IsText, IsTextList, IsUsdcAmount, IsUsdcLimit } from './validation/checks';
import { DomainError } from './domain.errors';
import { pageQuery } from '../lists/pages';

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

/** A route of each kind, for tests of what every route shares. */
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

let service: TestApp;
beforeAll(async () => void (service = await startApp({ controllers: [NotesController] })));
afterAll(() => service.close());

const post = (body: unknown): ReturnType<TestApp['send']> => service.send('post', '/v1/notes', null).send(body as object);
const postText = (text: string | Buffer, type = 'application/json'): ReturnType<TestApp['send']> =>
  service.send('post', '/v1/notes', null).set('Content-Type', type).send(text);

describe('a request body', () => {
  test.each([
    ['malformed JSON', '{"name": "a"', 400],
    ['a string', '"a"', 400],
    ['null', 'null', 400],
    ['a number', '1', 400],
    ['a list', '[{"name":"a"}]', 400],
    ['nothing but blanks', '   ', 400],
    ['300 KiB', JSON.stringify({ name: 'a'.repeat(300 * 1024) }), 413],
    ['one byte more than 256 KiB', JSON.stringify({ name: 'a'.repeat(256 * 1024 - 10) }), 413],
  ])('that is %s is rejected', async (_what, text, status) => {
    const { body } = await postText(text).expect(status);
    expect(body).toMatchObject({
      error: status === 413 ? 'payload_too_large' : 'invalid_request',
      message: expect.any(String),
      request_id: expect.any(String),
    });
  });

  test('of exactly 256 KiB is accepted', async () => {
    const text = JSON.stringify({ name: 'a'.repeat(256 * 1024 - 11) });
    expect(Buffer.byteLength(text)).toBe(256 * 1024);
    const { body } = await postText(text).expect(400);
    expect(body.details).toEqual([{ field: 'name', message: 'must have 1 to 5 characters' }]);
  });

  test('that is not valid UTF-8 is 400', () => postText(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])).expect(400));

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/jsonp',
    'multipart/form-data',
    '',
  ])('of content type %j is rejected', async (type) => {
    const { body } = await postText('{"name":"a"}', type).expect(415);
    expect(body.error).toBe('unsupported_media_type');
  });

  test('that is compressed is 415', () => postText('{"name":"a"}').set('Content-Encoding', 'gzip').expect(415));

  test('of another content type is 415 on DELETE too', () =>
    service.send('delete', '/v1/api_keys/key_1').set('Content-Type', 'text/plain').send('x').expect(415));

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    'of content type %s is accepted',
    (type) => postText('{"name":"a"}', type).expect(200),
  );

  test('that is missing is 400 for its required fields', async () => {
    const { body } = await service.send('post', '/v1/notes', null).expect(400);
    expect(body.details).toEqual([{ field: 'name', message: 'is required' }]);
  });
});

describe('the message of a 400', () => {
  test('is the sentence about the only offender', async () => {
    const { body } = await service.send('post', '/v1/notes', null).send({ name: '' }).expect(400);
    expect(body.message).toBe('name must have 1 to 5 characters.');
  });

  test('is the sentence about the first of several offenders, and counts the others', async () => {
    const { body } = await service.send('post', '/v1/notes', null).send({ amount: '0', limit: -1, colour: 1 }).expect(400);
    expect(body.details).toHaveLength(4);
    expect(body.message).toBe(`${body.details[0].field} ${body.details[0].message}, and 3 more.`);
  });

  test.each([
    ['colour', 'colour is not a known field'],
    ['amont', 'amont is not a known field (did you mean amount?)'],
    ['amount_usdc', 'amount_usdc is not a known field (did you mean amount?)'],
    ['due', 'due is not a known field (did you mean due_at?)'],
    ['Limit', 'Limit is not a known field (did you mean limit?)'],
  ])('says of the unknown field %s that %s', async (field, message) => {
    const { body } = await post({ name: 'a', [field]: 1 }).expect(400);
    expect(body.message).toBe(`${message}.`);
  });

  test('suggests no fields to a body with more than ten offenders', async () => {
    const fields = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`limit${index}`, 1]));
    expect((await post({ name: 'a', ...fields }).expect(400)).body.message).toBe('limit0 is not a known field, and 10 more.');
  });

  test('names line and column of broken JSON', async () => {
    const { body } = await postText('{\n  "name": "a",\n}').expect(400);
    expect(body.message).toBe('The body is not valid JSON. Line 3, column 1: a member’s name in double quotes is expected.');
  });

  test('of a text with many levels that is not JSON does not name the place', async () =>
    expect((await postText(`{"name":"a","request":{"body":${'['.repeat(100_000)}}}`).expect(400)).body.message).toMatch(/^The body /));

  test('of an amount has an example', async () =>
    expect((await post({ name: 'a', amount: 1.5 }).expect(400)).body.message).toMatch(/^amount must be a decimal string such as "1.50"/));

  test('says that an absent field is required', async () =>
    expect((await service.send('post', '/v1/notes', null).send({}).expect(400)).body.message).toBe('name is required.'));

  test('says what a null must be', async () =>
    expect((await service.send('post', '/v1/notes', null).send({ name: null }).expect(400)).body.message).toBe('name must be a string.'));
});

describe('a field of a request', () => {
  test.each([
    [{ name: '' }, 'name'],
    [{ name: 'abcdef' }, 'name'],
    [{ name: 1 }, 'name'],
    [{ name: null }, 'name'],
    [{ name: ['a'] }, 'name'],
    [{ name: { toLowerCase: 1 } }, 'name'],
    [{ name: 'a\0' }, 'name'],
    [{ name: 'a\ud800' }, 'name'],
    [{ name: 'a', colour: 'red' }, 'colour'],
    [{ name: 'a', metadata: [] }, 'metadata'],
    [{ name: 'a', metadata: { colour: 'a'.repeat(501) } }, 'metadata.colour'],
    [{ name: 'a', metadata: { ['k'.repeat(41)]: 1 } }, `metadata.${'k'.repeat(41)}`],
    [{ name: 'a', metadata: { deep: { er: 'a\0' } } }, 'metadata.deep.er'],
    [{ name: 'a', metadata: { list: ['ok', '\udfff'] } }, 'metadata.list[1]'],
    [{ name: 'a', metadata: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [index, index])) }, 'metadata'],
    [{ name: 'a', tags: 'a' }, 'tags'],
    [{ name: 'a', tags: null }, 'tags'],
    [{ name: 'a', tags: ['a', 'b', 'c', 'd'] }, 'tags'],
    [{ name: 'a', tags: ['a', 'long'] }, 'tags[1]'],
    [{ name: 'a', tags: ['a', 'b', 'a'] }, 'tags[2]'],
    [{ name: 'a', amount: 1 }, 'amount'],
    [{ name: 'a', amount: '0.0000001' }, 'amount'],
    [{ name: 'a', limit: '1' }, 'limit'],
    [{ name: 'a', limit: 1e9 + 1 }, 'limit'],
  ])('out of bounds in %j is named', async (given, field) => {
    const { body } = await post(given).expect(400);
    expect(body.details.map((offender: { field: string }) => offender.field)).toEqual([field]);
  });

  test('is reported together with every other invalid field', async () => {
    const { body } = await post({ name: '', amount: 'x', tags: [1, 2], other: true }).expect(400);
    expect(body.details.map((offender: { field: string }) => offender.field).sort()).toEqual([
      'amount',
      'name',
      'other',
      'tags[0]',
      'tags[1]',
    ]);
  });

  test.each(['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString'])(
    'with the reserved name %s is 400 at any depth',
    async (name) => {
      const flat = await postText(`{"name":"a","${name}":{"polluted":true}}`).expect(400);
      expect(flat.body.details[0].field).toBe(name);
      const deep = await postText(`{"name":"a","metadata":{"a":[{"${name}":1}]}}`).expect(400);
      expect(deep.body.details[0].field).toBe(`metadata.a[0].${name}`);
      expect(Reflect.get({}, 'polluted')).toBeUndefined();
    },
  );

  test('nested deeper than 16 levels is 400', async () => {
    const { body } = await postText(`{"name":"a","metadata":{"a":${'['.repeat(1_000)}${']'.repeat(1_000)}}}`).expect(400);
    expect(body.details[0].message).toContain('nested');
  });

  test('with a number beyond a double is 400', () => postText('{"name":"a","metadata":{"a":1e999}}').expect(400));

  test('is measured in code points, so that five emoji are five characters', async () => {
    await post({ name: '😀😀😀😀😀' }).expect(200);
    await post({ name: '😀😀😀😀😀😀' }).expect(400);
  });

  test('in any script is stored unchanged', async () => {
    for (const name of ['שלום', '\u202eabc', 'e\u0301', 'a\nb']) expect((await post({ name }).expect(200)).body.name).toBe(name);
  });

  test('is reported at most 100 times, also where 2,000 fields are unknown', async () => {
    const { body } = await post(Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`f${index}`, 1]))).expect(400);
    expect(body.details).toHaveLength(100);
  });

  test('of a body with 2,001 members and array elements is not looked at: the body is 400', async () => {
    const { body } = await post({ name: 'a', metadata: { a: Array(1_998).fill(1) } }).expect(400);
    expect(body.message).toBe('The body has more than 2000 members and array elements.');
    await post({ name: 'a', metadata: { a: Array(1_997).fill(1) } }).expect(200);
  });

  test('that is in the body twice is 400 with its name, whatever its spelling', async () => {
    const { body } = await postText('{"name":"a","metadata":{"a":1,"\\u0061":2}}').expect(400);
    expect(body.details).toEqual([{ field: 'metadata.a', message: 'is in the body twice' }]);
  });

  test('behind a byte order mark is 400', () => postText('\ufeff{"name":"a"}').expect(400));
});

describe('a list query', () => {
  test.each(['0', '11', '-1', '1.5', '1e1', 'ten', '', '0x1', ' 1', '1&limit=2'])('with the limit %j is 400', async (limit) => {
    const { body } = await service.send('get', `/v1/notes/list?limit=${limit}`).expect(400);
    expect(body.details[0].field).toBe('limit');
  });

  test.each([
    '',
    'x',
    'a2V5Xw',
    Buffer.from('acct_01k9x000000000000000000000').toString('base64url'),
    '%00',
    `${Buffer.from('key_01k9x000000000000000000000').toString('base64url')}=`,
  ])('with cursor %j is rejected', async (cursor) => {
    const { body } = await service.send('get', `/v1/notes/list?cursor=${cursor}`).expect(400);
    expect(body.details[0].field).toBe('cursor');
  });

  test('with an unknown parameter is 400', () => service.send('get', '/v1/notes/list?limit=1&other=1').expect(400));
  test('with the parameter __proto__ is 400', () => service.send('get', '/v1/notes/list?__proto__=1').expect(400));
  test('with broken percent encoding is 400 or 200, and never 500', async () =>
    expect([200, 400]).toContain((await service.send('get', '/v1/notes/list?limit=%E0%A4%A')).status));
  test('without parameters uses the defaults', async () =>
    expect((await service.send('get', '/v1/notes/list').expect(200)).body).toEqual({ limit: 2, cursor: null }));
});

describe('an unknown path', () => {
  test.each([
    ['/notes', 'There is no such route: did you mean /v1/notes?'],
    ['/v1/note', 'There is no such route: did you mean /v1/notes?'],
    ['/v1/notes/lst', 'There is no such route: did you mean /v1/notes/list?'],
    ['/v1/xyzzyabc', 'There is no such route: the paths of the API begin with /v1, and /docs/api lists all of them.'],
    ['/wp-login.php', 'There is no such route: the paths of the API begin with /v1, and /docs/api lists all of them.'],
  ])('%s is 404: %s', async (path, message) => expect((await service.send('get', path).expect(404)).body.message).toBe(message));
});

describe('a response', () => {
  test.each(['abc', 'A.b_c:d-1', 'x'.repeat(128)])('repeats the request id %s', async (id) => {
    const response = await service.send('get', '/v1/nowhere').set('X-Request-Id', id).expect(404);
    expect(response.headers['x-request-id']).toBe(id);
    expect(response.body).toEqual({ error: 'not_found', message: expect.any(String), request_id: id, doc_url: expect.any(String) });
  });

  test.each(['', 'a b', 'x'.repeat(129), 'ä', '<script>'])('replaces the unsafe request id %j', async (id) => {
    const response = await service.send('get', '/health').set('X-Request-Id', Buffer.from(id).toString('latin1')).expect(200);
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('has a request id when the body is invalid too', async () => {
    const response = await postText('{').set('X-Request-Id', 'mine').expect(400);
    expect([response.headers['x-request-id'], response.body.request_id]).toEqual(['mine', 'mine']);
  });

  test('to an unexpected error is 500 and reveals no details', async () => {
    const { body, text } = await service.send('get', '/v1/notes/boom').expect(500);
    expect(body).toEqual({
      error: 'internal_error',
      message: expect.any(String),
      request_id: expect.any(String),
      doc_url: expect.any(String),
    });
    expect(text).not.toContain('hunter2');
  });

  test('to a domain error has its details and headers', async () => {
    const response = await service.send('get', '/v1/notes/away').expect(503);
    expect(response.body).toMatchObject({ error: 'chain_unavailable', message: 'The chain is away.', a: 1 });
    expect(response.headers['retry-after']).toBe('2');
  });

  test('says that nothing was sent where the chain is unreachable, but not of a read', async () => {
    const [read, write] = await Promise.all(
      (['get', 'post'] as const).map((method) => service.send(method, '/v1/notes/unreachable', null)),
    );
    expect([read?.body.message, write?.body.message]).toEqual([
      'The chain cannot be reached right now: try again.',
      'The chain cannot be reached right now. Nothing was sent: try again.',
    ]);
  });

  test('has the security headers and no X-Powered-By', async () => {
    const { headers } = await service.send('get', '/health').expect(200);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'strict-transport-security': expect.any(String) });
    expect(headers).not.toHaveProperty('x-powered-by');
  });
});

describe('a request path', () => {
  test.each(['/v1/nowhere', '/notes', '/v2/notes', '/v1/notes/by-id/a%00b', '/v1/api_keys/%00'])('%s is 404', async (path) => {
    expect((await service.send('get', path)).body.error).toBe('not_found');
  });

  test('with broken percent encoding is 400', async () =>
    expect((await service.send('get', '/v1/notes/by-id/%E0%A4%A').expect(400)).body.error).toBe('invalid_request'));
  test('with a method that the path does not take is 405 with Allow, with and without a key', async () => {
    for (const key of [null, undefined]) {
      const { body, headers } = await service.send('put', '/v1/notes', key).expect(405);
      expect([body.error, headers.allow]).toEqual(['method_not_allowed', 'POST']);
    }
    expect((await service.send('delete', '/v1/notes/by-id/1').expect(405)).headers.allow).toBe('GET, HEAD');
  });

  test('with a method that the path of the dashboard does not take is 405', async () =>
    expect((await service.send('post', '/dashboard/accounts').expect(405)).headers.allow).toBe('GET, HEAD'));
  test('answers HEAD as GET, without a body', async () => {
    const head = await fetch(new URL('/health', await service.app.getUrl()), { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });
});

describe('the order of error responses', () => {
  const HUGE = JSON.stringify({ name: 'a'.repeat(300 * 1024) });
  const defects: [string, string, string, number][] = [
    ['an invalid field', '{"name":""}', 'application/json', 400],
    ['malformed JSON', '{', 'application/json', 400],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]).toString('latin1'), 'application/json', 400],
    ['another content type', 'name=a', 'text/plain', 415],
    ['300 KiB', HUGE, 'application/json', 413],
  ];
  const text = (path: string, key: string | null, body: string, type: string): ReturnType<TestApp['send']> =>
    service
      .send('post', path, key ?? null)
      .set('Content-Type', type)
      .send(Buffer.from(body, 'latin1'));
  let agentKey: string;
  beforeAll(async () => {
    const { body } = await service
      .send('post', '/v1/api_keys')
      .send({ type: 'agent', account_ids: [await service.insertAccount()] })
      .expect(201);
    agentKey = body.key;
  });

  test.each(defects)('401 and 403 come before the error of a body with %s', async (_what, body, type, status) => {
    const refused = await text('/v1/notes/operator', null, body, type).expect(401);
    expect([refused.body.error, refused.headers['www-authenticate']]).toEqual(['unauthorized', 'Bearer']);
    expect((await text('/v1/notes/operator', agentKey, body, type).expect(403)).body.error).toBe('forbidden');
    await text('/v1/notes/agent', agentKey, body, type).expect(status);
    await text('/v1/notes/operator', service.operatorKey, body, type).expect(status);
  });

  test('a valid request is 401 without a key and 200 with one that the route allows', async () => {
    await service.send('post', '/v1/notes/operator', null).send({ name: 'a' }).expect(401);
    await service.send('post', '/v1/notes/agent', agentKey).send({ name: 'a' }).expect(200);
  });

  test('an invalid query is 401 without a key and 400 with one', async () => {
    await service.send('get', '/v1/api_keys?limit=0', null).expect(401);
    await service.send('get', '/v1/api_keys?limit=0').expect(400);
  });
});

test('GET /ready reports whether the database is available', async () => {
  expect((await service.send('get', '/ready', null).expect(200)).body).toEqual({
    status: 'ready',
    database: 'up',
    chain: 'down',
    fee_payer: 'unknown',
  });
});

test('bytes that are not HTTP do not crash the service', async () => {
  const port = Number(new URL(await service.app.getUrl()).port);
  await new Promise<void>((resolve) =>
    connect(port, '127.0.0.1', function (this: import('node:net').Socket) {
      this.end('\x16\x03\x01 nonsense\r\n\r\n');
    })
      .on('close', () => resolve())
      .resume(),
  );
  await service.send('get', '/health').expect(200);
});
