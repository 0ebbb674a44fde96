import { api } from '../../support/api';
import { sharedService } from '../../support/service';
import { anAccount, anonymous, bodyOf, operator, stranger } from '../../support/world';

describe('GET /v1/me', () => {
  test('GET /v1/me shows an operator key, which has no list of accounts', async () => {
    const me = bodyOf(await operator().get('/v1/me'), 200);
    expect(me).toEqual({
      key_id: expect.stringMatching(/^key_/),
      type: 'operator',
      name: expect.any(String),
      expires_at: null,
      operator_id: expect.stringMatching(/^op_/),
      accounts: null,
      fleets: null,
    });
    expect(bodyOf(await stranger().get('/v1/me'), 200).operator_id).not.toBe(me.operator_id);
  });

  test('GET /v1/me shows an agent key with its accounts in the order of the key', async () => {
    const [a, b] = [await anAccount(), await anAccount()];
    const wanted = { type: 'agent', name: 'bot', account_ids: [b.id, a.id], expires_at: '2999-01-01T00:00:00Z' };
    const { key, key_id } = bodyOf(await operator().post('/v1/api_keys', wanted), 201);
    expect(bodyOf(await api(sharedService().baseUrl, key).get('/v1/me'), 200)).toEqual({
      key_id,
      type: 'agent',
      name: 'bot',
      expires_at: '2999-01-01T00:00:00.000Z',
      operator_id: bodyOf(await operator().get('/v1/me'), 200).operator_id,
      accounts: [b, a].map(({ id, address, tokenAccount, handle }) => ({
        account_id: id,
        name: 'test',
        handle,
        chain_address: address,
        usdc_token_account: tokenAccount,
      })),
      fleets: [],
    });
  });

  test('GET /v1/me answers 401 without a key', async () => expect((await anonymous().get('/v1/me')).status).toBe(401));
});
