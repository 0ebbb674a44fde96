import { anAccount, anAgent, bodyOf, operator, setPolicy } from '../../support/world';

const FIELDS = [
  'max_single_transfer',
  'max_daily_spend',
  'allowed_counterparties',
  'categories',
  'require_memo',
  'escalation_threshold',
  'paused',
];

describe('GET /v1/accounts/:id/spending shows the policy', () => {
  test('GET /v1/accounts/:id/spending carries the default policy with all seven fields', async () => {
    const account = await anAccount();
    const { policy } = bodyOf(await (await anAgent(account)).get(`/v1/accounts/${account.id}/spending`), 200);
    expect(Object.keys(policy).sort()).toEqual([...FIELDS].sort());
    expect(policy).toEqual(bodyOf(await operator().get(`/v1/accounts/${account.id}`), 200).policy);
  });

  test('GET /v1/accounts/:id/spending shows an agent the policy as GET policy shows it to the operator, of the same version', async () => {
    const [account, payee] = [await anAccount(), await anAccount()];
    await setPolicy(account, {
      max_single_transfer: 1.5,
      max_daily_spend: 10,
      allowed_counterparties: [payee.id],
      categories: ['data'],
      require_memo: true,
      escalation_threshold: 5,
    });
    await setPolicy(account, { paused: true });
    const spending = bodyOf(await (await anAgent(account)).get(`/v1/accounts/${account.id}/spending`), 200);
    const shown = bodyOf(await operator().get(`/v1/accounts/${account.id}/policy`), 200);
    for (const field of FIELDS) expect([field, spending.policy[field]]).toEqual([field, shown[field]]);
    expect(spending.policy_version).toBe(shown.version);
    expect(spending.policy.allowed_counterparties).toEqual([payee.id]);
  });
});
