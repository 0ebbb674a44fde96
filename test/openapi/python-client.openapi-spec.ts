import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedService } from '../support/service';
import { anAccount } from '../support/world';
import { pythonTools } from '../support/python-tools';

jest.setTimeout(600_000);

const DOCUMENT = join(__dirname, '..', '..', 'docs', 'openapi.json');

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'aps-python-client-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The calls that spend: a generator that meets a type it does not know leaves them out. */
const SPENDING = ['transfers_create', 'sessions_open', 'sessions_top_up', 'purses_open', 'payments_pay', 'payments_authorize'];

/** A transfer by the generated client, and the id of it. */
const CALL = `
import sys
from agent_payments.client import AuthenticatedClient
from agent_payments.api.transfers import transfers_create
from agent_payments.models.create_transfer import CreateTransfer
base, key, payer, payee, idempotency_key = sys.argv[1:]
client = AuthenticatedClient(base_url=base, token=key)
body = CreateTransfer(from_=payer, to=payee, amount="0.5")
answer = transfers_create.sync_detailed(client=client, body=body, idempotency_key=idempotency_key)
print(answer.status_code.value, type(answer.parsed).__name__, answer.parsed.amount_usdc)
`;

test('openapi-python-client generates every call that spends, and its transfer settles', async () => {
  const bin = pythonTools();
  const environment = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  const output = join(folder, 'agent_payments');
  const args = ['generate', '--path', DOCUMENT, '--meta', 'none', '--output-path', output];
  const said = execFileSync(join(bin, 'openapi-python-client'), args, { env: environment, encoding: 'utf8', cwd: folder });
  expect(said).not.toContain('Warning');
  execFileSync(join(bin, 'python'), ['-m', 'compileall', '-q', output], { env: environment });
  const calls = readdirSync(join(output, 'api'), { recursive: true, encoding: 'utf8' });
  for (const call of SPENDING) expect(calls).toContainEqual(expect.stringMatching(new RegExp(`${call}\\.py$`)));
  const [payer, payee] = [await anAccount({ usdc: '1' }), await anAccount()];
  const { baseUrl, operatorKey } = sharedService();
  const call = ['-c', CALL, baseUrl, operatorKey, payer.id, payee.id, randomUUID()];
  expect(execFileSync(join(bin, 'python'), call, { cwd: folder, encoding: 'utf8' }).trim()).toBe('200 Transfer 0.500000');
});
