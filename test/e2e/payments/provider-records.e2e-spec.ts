import type { Body } from '../../support/api';
import { ProviderStage, type Payer } from '../../support/provider-stage';
import { anAgent, bodyOf, invalidFields, operator, query, stranger } from '../../support/world';

const MIB = 1_048_576;
const DEFAULTS = { payee: null, categories: null, operator_key: null, wallet_programs: null, max_seconds: 30, max_bytes: MIB };

let stage: ProviderStage;
let payer: Payer;
beforeAll(async () => {
  stage = await ProviderStage.start(100n);
  payer = await stage.aPayer({ usdc: '1', cap: '0.1' });
});
beforeEach(() => stage.reset());
afterAll(() => stage.stop());

const path = (): string => `/v1/providers/${new URL(stage.provider.url).host}`;
const put = (body: Body, by = operator()) => by.put(path(), body);
const pay = () => stage.pay(payer);
const answers = (bytes: number): void =>
  stage.provider.behave({
    paid: (response, paid) => void response.writeHead(200, { 'Payment-Receipt': stage.provider.receipt(paid) }).end('x'.repeat(bytes)),
  });
const bodyBytes = ({ response }: Body): number => Buffer.from(response.body_base64, 'base64').length;

describe('PUT /v1/providers/:host', () => {
  test.each<[string, unknown]>([
    ['payee', '11111111111111111111111111111111'],
    ['categories', []],
    ['operator_key', '11111111111111111111111111111111'],
    ['wallet_programs', false],
    ['wallet_programs', null],
    ['max_seconds', 1],
    ['max_seconds', 600],
    ['max_bytes', 1],
    ['max_bytes', 100 * MIB],
  ])('takes %s alone (%j), and replaces all others by their defaults', async (member, value) => {
    bodyOf(
      await put({
        payee: stage.payee.owner,
        categories: ['data'],
        operator_key: stage.payee.owner,
        wallet_programs: true,
        max_seconds: 9,
        max_bytes: 9,
      }),
      200,
    );
    expect(bodyOf(await put({ [member]: value }), 200)).toMatchObject({ ...DEFAULTS, [member]: value });
    expect(bodyOf(await operator().get(path()), 200)).toMatchObject({ ...DEFAULTS, [member]: value });
    expect(bodyOf(await operator().get('/v1/providers'), 200).data).toContainEqual(
      expect.objectContaining({ ...DEFAULTS, [member]: value }),
    );
  });

  test.each<[string, unknown]>([
    ['max_seconds', 0],
    ['max_seconds', 601],
    ['max_seconds', null],
    ['max_bytes', 0],
    ['max_bytes', 100 * MIB + 1],
    ['max_bytes', 1.5],
    ['operator_key', 'x'],
    ['wallet_programs', 'yes'],
  ])('answers 400 for %s %j', async (member, value) => expect(invalidFields(await put({ [member]: value }))).toEqual([member]));

  test('answers 400 without any member', async () => expect(invalidFields(await put({}))).toEqual(['payee']));
});

describe('the limits of a provider', () => {
  test('a body of max_bytes is read whole, and one of a byte more is truncated', async () => {
    bodyOf(await put({ max_bytes: 10 }), 200);
    answers(10);
    const whole = bodyOf(await pay(), 200);
    answers(11);
    const cut = bodyOf(await pay(), 200);
    expect([bodyBytes(whole), whole.response.truncated, bodyBytes(cut), cut.response.truncated]).toEqual([10, undefined, 10, true]);
    expect(bodyOf(await operator().get(`/v1/payments/${cut.payment_id}`), 200)).toEqual(cut);
  });

  test('a body of several MiB is read and kept where max_bytes allows it', async () => {
    bodyOf(await put({ max_bytes: 8 * MIB }), 200);
    answers(8 * MIB);
    const { payment_id: id } = bodyOf(await pay(), 200);
    const kept = bodyOf(await operator().get(`/v1/payments/${id}`), 200);
    expect([bodyBytes(kept), kept.response.truncated]).toEqual([8 * MIB, undefined]);
  });

  test('a body that goes on after max_seconds is truncated, and no answer by then leaves the payment unknown', async () => {
    bodyOf(await put({ max_seconds: 1 }), 200);
    stage.provider.behave(stage.provider.servesSlowly());
    const began = performance.now();
    expect(bodyOf(await pay(), 200)).toMatchObject({ status: 'paid', response: { truncated: true } });
    stage.provider.behave(stage.provider.hangs());
    expect(bodyOf(await pay(), 202).status).toBe('unknown');
    expect(performance.now() - began).toBeLessThan(15_000);
  });

  test('limits that a database writer changes are not obeyed, and nothing is paid', async () => {
    bodyOf(await put({ max_bytes: 10 }), 200);
    await query('UPDATE providers SET max_bytes = 20 WHERE host = $1', [new URL(stage.provider.url).host]);
    expect((await pay()).body.rejection_reason).toBe('recipient_mismatch');
    bodyOf(await put({ max_bytes: MIB }), 200);
    expect(bodyOf(await pay(), 200).status).toBe('paid');
  });
});

describe('pinned providers', () => {
  test('a provider is pinned, listed and deleted by operators only', async () => {
    expect(bodyOf(await put({ payee: stage.payee.owner, categories: ['data'] }), 200)).toMatchObject({
      host: new URL(stage.provider.url).host,
      payee: stage.payee.owner,
      categories: ['data'],
    });
    expect(bodyOf(await operator().get(path()), 200)).toMatchObject({ payee: stage.payee.owner });
    expect((await stranger().get(path())).status).toBe(404);
    expect((await put({ payee: stage.payee.owner, categories: [] }, await anAgent(payer))).status).toBe(403);
    expect((await pay()).body.rejection_reason).toBe('category_conflict');
    stage.provider.behave({ unpaid: stage.provider.asks(() => stage.provider.session({ methodDetails: { category: 'Data' } })) });
    expect(bodyOf(await pay(), 200).category).toBe('data');
    expect((await operator().delete(path())).status).toBe(204);
    expect((await operator().delete(path())).status).toBe(404);
    expect(invalidFields(await operator().put('/v1/providers/a%2Fb', { payee: stage.payee.owner, categories: [] }))).toEqual(['host']);
    expect(invalidFields(await put({ payee: 'x', categories: ['A B'] }))).toEqual(['payee', 'categories[0]']);
  });
});
