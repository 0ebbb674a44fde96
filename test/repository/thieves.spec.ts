/** The table “what a thief has → what he can do” of SECURITY.md, and the test of each of its cells. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const ACTS = ['pays inside the limits', 'changes a limit', 'approves', 'makes an operator key', 'rotates, closes, hands over'] as const;

/** Whether the thief can, and the file and the title of a test that shows it. */
type Cell = [can: 'yes' | 'no', file: string, title: string];

const ACCESS = 'test/security/access.e2e-spec.ts';
const THIEF = 'test/security/thief.e2e-spec.ts';
const SESSION = 'test/security/browser-session.e2e-spec.ts';
const WRITER = 'test/security/database-writer.slow-spec.ts';
const CHAIN_KEY = 'test/e2e/keys/chain-key.validator.e2e-spec.ts';
const SEALING = 'apps/api/src/secrets/encryption.service.spec.ts';

const SESSION_CAN = 'a session pays, changes policies, approves and makes agent keys without the operator key';
const AGENT_IS_REFUSED = 'every route for operators only answers 403 to an agent, for its own account too, and has no effect';
const SEALED = 'KEY_ENCRYPTION_KEY does not decrypt an operator chain key';
const NO_API_KEY = 'every route answers 401 without a key and with a malformed or unknown key';

const TABLE: Record<string, [Cell, Cell, Cell, Cell, Cell]> = {
  'agent API key': [
    ['yes', ACCESS, 'an agent pays from its own accounts only'],
    ['no', ACCESS, AGENT_IS_REFUSED],
    ['no', 'test/e2e/transfers/approvals.e2e-spec.ts', 'approve and deny answer 403 to an agent'],
    ['no', 'apps/api/src/keys/api-keys/api-keys.integration-spec.ts', 'of an agent may not create, list or revoke keys'],
    ['no', 'test/e2e/keys/custody.validator.slow-spec.ts', 'rotate_key answers 403 to an agent'],
  ],
  'cookie of a dashboard session': [
    ['yes', SESSION, SESSION_CAN],
    ['yes', SESSION, SESSION_CAN],
    ['yes', SESSION, SESSION_CAN],
    ['no', SESSION, 'makes no operator key'],
    ['no', SESSION, 'hands no accounts over'],
  ],
  'write access to the database': [
    ['yes', WRITER, 'an order that the database writer inserted is paid inside the limits, and declined beyond them'],
    ['no', WRITER, 'an order that the database writer inserted is paid inside the limits, and declined beyond them'],
    ['no', WRITER, 'an approved transfer that the database writer inserted waits for an approval, and pays nothing'],
    ['no', 'apps/api/src/keys/api-keys/api-key-macs.integration-spec.ts', 'an API key that was inserted into the database is 401'],
    ['no', WRITER, 'a hand-over to the key of the database writer is not made'],
  ],
  'copy of the database and `KEY_ENCRYPTION_KEY`': [
    ['yes', THIEF, 'a thief with the authority key cannot exceed the daily limit, by one transaction or several'],
    ['no', SEALING, SEALED],
    ['no', SEALING, SEALED],
    ['no', 'apps/api/src/dashboard/sign-in/dashboard-session.integration-spec.ts', 'is not made by the keys of the service'],
    ['no', SEALING, SEALED],
  ],
  'authority key of an account': [
    ['yes', THIEF, 'a thief with the authority key cannot exceed the daily limit, by one transaction or several'],
    ['no', THIEF, 'a thief with the authority key cannot use the operator’s instructions'],
    ['no', THIEF, 'a thief with the authority key cannot approve, whichever other key signs'],
    ['no', ACCESS, NO_API_KEY],
    ['no', THIEF, 'a thief with the authority key cannot use the operator’s instructions'],
  ],
  'operator’s chain key': [
    ['yes', THIEF, 'a thief with the operator key cannot transfer without the authority, though he can name another one'],
    ['yes', THIEF, 'a thief with the operator key can change limits by set_policy only; co-signing passes no rule but the threshold'],
    ['yes', THIEF, 'a thief with the operator key can change limits by set_policy only; co-signing passes no rule but the threshold'],
    ['no', ACCESS, NO_API_KEY],
    ['yes', THIEF, 'a thief with the operator key cannot transfer without the authority, though he can name another one'],
  ],
  'operator API key, the chain key being held outside': [
    ['yes', CHAIN_KEY, 'transfers inside the policy settle without the operator, and one above the threshold only with its signature'],
    ['no', CHAIN_KEY, 'a policy changes only with the signature, once, and the answer is that of the first call'],
    ['no', CHAIN_KEY, 'transfers inside the policy settle without the operator, and one above the threshold only with its signature'],
    [
      'yes',
      'apps/api/src/dashboard/sign-in/browser-sessions.integration-spec.ts',
      'is made by a session with the operator key, and by the key itself without another',
    ],
    ['no', CHAIN_KEY, 'an account is closed, and swept, with the signature'],
  ],
};

const cells = Object.entries(TABLE).flatMap(([thief, row]) =>
  row.map(([can, file, title], index): [string, string, string, string, string] => [thief, ACTS[index] ?? '', can, file, title]),
);

test.each(cells)('the holder of the %s %s: %s, which a test in %s shows', (_thief, _act, _can, file, title) =>
  expect(readFileSync(join(ROOT, file), 'utf8')).toContain(title),
);

test('SECURITY.md has the table of what a thief can do', () => {
  const rows = Object.entries(TABLE).map(([thief, row]) => `| ${thief} | ${row.map(([can]) => can).join(' | ')} |`);
  const table = [`| A thief has | ${ACTS.join(' | ')} |`, `| --- |${' --- |'.repeat(ACTS.length)}`, ...rows].join('\n');
  expect(readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')).toContain(table);
});
