import { ApiDocument, readApiDocument } from './api-document';

const media = (schema: object) => ({ content: { 'application/json': { schema } } });
const document = (schema: object, components: object = {}): ApiDocument =>
  new ApiDocument({
    paths: { '/v1/things': { post: { operationId: 'things.create', requestBody: media(schema), responses: { 200: media(schema) } } } },
    components: { schemas: components },
  });

test('references of a schema are replaced by what they name, and what stands beside them stays', () => {
  const api = document(
    { type: 'object', properties: { part: { $ref: '#/components/schemas/Part', description: 'a part' } } },
    { Part: { type: 'object', properties: { name: { type: 'string', examples: ['x'] } } } },
  );
  const part = { type: 'object', properties: { name: { type: 'string' } }, description: 'a part' };
  expect(api.body('things.create')).toEqual({ type: 'object', properties: { part } });
});

test('a property that is called example or examples is kept', () => {
  const properties = { example: { type: 'string' }, examples: { type: 'string' } };
  expect(document({ type: 'object', properties }).body('things.create').properties).toEqual(properties);
});

test('a recursive schema is refused with a sentence', () => {
  const node = { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } };
  expect(() => document({ $ref: '#/components/schemas/Node' }, { Node: node }).body('things.create')).toThrow(/recursive/);
});

test('an operation that the document has not is named', () =>
  expect(() => readApiDocument().body('things.destroy')).toThrow('docs/openapi.json has no operation things.destroy.'));

test('the schema of a dry run’s result differs from that of the call’s result', () => {
  const api = readApiDocument();
  expect(api.success('transfers.create').properties).toHaveProperty('transfer_id');
  expect(api.dryRun('transfers.create').properties).toHaveProperty('dry_run');
});
