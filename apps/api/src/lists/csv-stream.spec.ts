import { fileName } from './csv-stream';

test.each([
  [{}, 'transfers.csv'],
  [{ account: 'agent-1' }, 'transfers-agent-1.csv'],
  [{ since: '2026-11-25T00:00:00Z', until: '2026-11-27T12:00:00Z' }, 'transfers-from-2026-11-25-to-2026-11-27.csv'],
  [{ since: '2026-11-24T23:59:59.999Z', until: '2026-11-27T23:59:59.999Z' }, 'transfers-from-2026-11-25-to-2026-11-27.csv'],
  [{ account: 'agent-1', since: '2026-11-25' }, 'transfers-agent-1-from-2026-11-25.csv'],
])('the file of transfers in the scope %j is named %s', (scope, name) => expect(fileName('transfers', scope)).toBe(name));
