import { startNotes, type NotesApp } from '../../../../../test/support/notes';

let notes: NotesApp;
beforeAll(async () => void (notes = await startNotes()));
afterAll(() => notes.close());

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
    const { body } = await notes.postText(text).expect(status);
    expect(body).toMatchObject({
      error: status === 413 ? 'payload_too_large' : 'invalid_request',
      message: expect.any(String),
      request_id: expect.any(String),
    });
  });

  test('of exactly 256 KiB is accepted', async () => {
    const text = JSON.stringify({ name: 'a'.repeat(256 * 1024 - 11) });
    expect(Buffer.byteLength(text)).toBe(256 * 1024);
    const { body } = await notes.postText(text).expect(400);
    expect(body.details).toEqual([{ field: 'name', message: 'must have 1 to 5 characters' }]);
  });

  test('that is not valid UTF-8 is 400', () => notes.postText(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])).expect(400));

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/jsonp',
    'multipart/form-data',
    '',
  ])('of content type %j is rejected', async (type) => {
    const { body } = await notes.postText('{"name":"a"}', type).expect(415);
    expect(body.error).toBe('unsupported_media_type');
  });

  test('that is compressed is 415', () => notes.postText('{"name":"a"}').set('Content-Encoding', 'gzip').expect(415));

  test('of another content type is 415 on DELETE too', () =>
    notes.send('delete', '/v1/api_keys/key_1').set('Content-Type', 'text/plain').send('x').expect(415));

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    'of content type %s is accepted',
    (type) => notes.postText('{"name":"a"}', type).expect(200),
  );

  test('that is missing is 400 for its required fields', async () => {
    const { body } = await notes.send('post', '/v1/notes', null).expect(400);
    expect(body.details).toEqual([{ field: 'name', message: 'is required' }]);
  });
});

describe('the message of a 400', () => {
  test.each([
    [{ name: '' }, 'name must have 1 to 5 characters.'],
    [{}, 'name is required.'],
    [{ name: null }, 'name must be a string.'],
    [{ name: 'a', colour: 1 }, 'colour is not a known field.'],
    [{ name: 'a', amont: 1 }, 'amont is not a known field (did you mean amount?).'],
    [{ name: 'a', amount_usdc: 1 }, 'amount_usdc is not a known field (did you mean amount?).'],
    [{ name: 'a', due: 1 }, 'due is not a known field (did you mean due_at?).'],
    [{ name: 'a', Limit: 1 }, 'Limit is not a known field (did you mean limit?).'],
  ])('about the only offender in %j is: %s', async (given, message) => {
    expect((await notes.post(given).expect(400)).body.message).toBe(message);
  });

  test('is the sentence about the first of several offenders, and counts the others', async () => {
    const { body } = await notes.post({ amount: '0', limit: -1, colour: 1 }).expect(400);
    expect(body.details).toHaveLength(4);
    expect(body.message).toBe(`${body.details[0].field} ${body.details[0].message}, and 3 more.`);
  });

  test('suggests no fields to a body with more than ten offenders', async () => {
    const fields = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`limit${index}`, 1]));
    expect((await notes.post({ name: 'a', ...fields }).expect(400)).body.message).toBe('limit0 is not a known field, and 10 more.');
  });

  test('names line and column of broken JSON', async () => {
    const { body } = await notes.postText('{\n  "name": "a",\n}').expect(400);
    expect(body.message).toBe('The body is not valid JSON. Line 3, column 1: a member’s name in double quotes is expected.');
  });

  test('of a text with many levels that is not JSON does not name the place', async () =>
    expect((await notes.postText(`{"name":"a","request":{"body":${'['.repeat(100_000)}}}`).expect(400)).body.message).toMatch(
      /^The body /,
    ));

  test('of an amount has an example', async () =>
    expect((await notes.post({ name: 'a', amount: 1.5 }).expect(400)).body.message).toMatch(
      /^amount must be a decimal string such as "1.50"/,
    ));
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
    const { body } = await notes.post(given).expect(400);
    expect(body.details.map((offender: { field: string }) => offender.field)).toEqual([field]);
  });

  test('is reported together with every other invalid field', async () => {
    const { body } = await notes.post({ name: '', amount: 'x', tags: [1, 2], other: true }).expect(400);
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
      const flat = await notes.postText(`{"name":"a","${name}":{"polluted":true}}`).expect(400);
      expect(flat.body.details[0].field).toBe(name);
      const deep = await notes.postText(`{"name":"a","metadata":{"a":[{"${name}":1}]}}`).expect(400);
      expect(deep.body.details[0].field).toBe(`metadata.a[0].${name}`);
      expect(Reflect.get({}, 'polluted')).toBeUndefined();
    },
  );

  test('nested deeper than 16 levels is 400', async () => {
    const { body } = await notes.postText(`{"name":"a","metadata":{"a":${'['.repeat(1_000)}${']'.repeat(1_000)}}}`).expect(400);
    expect(body.details[0].message).toContain('nested');
  });

  test('with a number beyond a double is 400', () => notes.postText('{"name":"a","metadata":{"a":1e999}}').expect(400));

  test('is measured in code points, so that five emoji are five characters', async () => {
    await notes.post({ name: '😀😀😀😀😀' }).expect(200);
    await notes.post({ name: '😀😀😀😀😀😀' }).expect(400);
  });

  test('in any script is stored unchanged', async () => {
    for (const name of ['שלום', '\u202eabc', 'e\u0301', 'a\nb']) expect((await notes.post({ name }).expect(200)).body.name).toBe(name);
  });

  test('is reported at most 100 times, also where 2,000 fields are unknown', async () => {
    const { body } = await notes.post(Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`f${index}`, 1]))).expect(400);
    expect(body.details).toHaveLength(100);
  });

  test('of a body with 2,001 members and array elements is not looked at: the body is 400', async () => {
    const { body } = await notes.post({ name: 'a', metadata: { a: Array(1_998).fill(1) } }).expect(400);
    expect(body.message).toBe('The body has more than 2000 members and array elements.');
    await notes.post({ name: 'a', metadata: { a: Array(1_997).fill(1) } }).expect(200);
  });

  test('that is in the body twice is 400 with its name, whatever its spelling', async () => {
    const { body } = await notes.postText('{"name":"a","metadata":{"a":1,"\\u0061":2}}').expect(400);
    expect(body.details).toEqual([{ field: 'metadata.a', message: 'is in the body twice' }]);
  });

  test('behind a byte order mark is 400', () => notes.postText('\ufeff{"name":"a"}').expect(400));
});

describe('a list query', () => {
  test.each(['0', '11', '-1', '1.5', '1e1', 'ten', '', '0x1', ' 1', '1&limit=2'])('with the limit %j is 400', async (limit) => {
    const { body } = await notes.send('get', `/v1/notes/list?limit=${limit}`).expect(400);
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
    const { body } = await notes.send('get', `/v1/notes/list?cursor=${cursor}`).expect(400);
    expect(body.details[0].field).toBe('cursor');
  });

  test.each(['limit=1&other=1', '__proto__=1'])('with the unknown parameter in %s is 400', (search) =>
    notes.send('get', `/v1/notes/list?${search}`).expect(400),
  );
  test('with broken percent encoding is 400 or 200, and never 500', async () =>
    expect([200, 400]).toContain((await notes.send('get', '/v1/notes/list?limit=%E0%A4%A')).status));
  test('without parameters uses the defaults', async () =>
    expect((await notes.send('get', '/v1/notes/list').expect(200)).body).toEqual({ limit: 2, cursor: null }));
});
