import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAM_ADDRESS, PROGRAM_FILE } from '#chain';
import { findFreePort } from '#processes';
import { type Api, api } from '../support/api';
import { newSettings } from '../support/chain-under-test';
import { eventually } from '../support/eventually';
import { newDatabase, newOperatorKey, startBeside } from '../support/operators';
import { type Service, sharedService } from '../support/service';
import { anAccount, bodyOf, chainBalance, eventsOf, order, rpc, setPolicy } from '../support/world';

jest.setTimeout(900_000);

const SLOW = { timeoutMs: 240_000 };
const folder = mkdtempSync(join(tmpdir(), 'aps-validator-'));
const [ledger, copy] = [join(folder, 'ledger'), join(folder, 'copy')];

/** A solana-test-validator, as Agave ships it, on a ledger folder of its own. */
class Validator {
  rpcUrl = '';
  wsUrl = '';
  private process: ChildProcess | undefined;

  async start(): Promise<void> {
    if (this.rpcUrl === '') {
      const port = await findFreePort();
      this.rpcUrl = `http://127.0.0.1:${port}`;
      this.wsUrl = `ws://127.0.0.1:${port + 1}`;
    }
    const { port } = new URL(this.rpcUrl);
    const args = ['--ledger', ledger, '--rpc-port', port, '--faucet-port', String(await findFreePort()), '--quiet'];
    this.process = spawn('solana-test-validator', [...args, '--bpf-program', PROGRAM_ADDRESS, PROGRAM_FILE], { stdio: 'ignore' });
    await eventually(async () => expect(await rpc('getSlot', [{ commitment: 'finalized' }], this.rpcUrl)).toBeGreaterThan(0), SLOW);
  }

  async kill(): Promise<void> {
    const { process } = this;
    if (!process || process.exitCode !== null || process.signalCode !== null) return;
    process.kill('SIGKILL');
    await once(process, 'exit');
  }
}

const validator = new Validator();
let service: Service | undefined;
afterAll(async () => {
  await service?.stop();
  await validator.kill();
  rmSync(folder, { recursive: true, force: true });
});

test('what settled on a validator whose ledger is then replaced by an older copy is reversed and settled again, once', async () => {
  await validator.start();
  const shared = sharedService();
  const databaseUrl = await newDatabase(shared);
  const operatorKey = await newOperatorKey(shared, databaseUrl);
  // The operator's key is sealed under the keys of the shared service.
  const { KEY_ENCRYPTION_KEY: _key, OPERATOR_KEY_ENCRYPTION_KEY: _operatorKey, ...chain } = await newSettings(validator);
  const variables = { ...chain, DATABASE_URL: databaseUrl, LEASE_MS: '1000', RPC_TIMEOUT_MS: '10000' };
  const start = async (): Promise<Api> => {
    service = await startBeside(shared, { operatorKey, variables });
    return api(service.baseUrl, operatorKey);
  };
  let by = await start();
  const [payer, payee] = [await anAccount({ usdc: '50', by }), await anAccount({ by })];
  await setPolicy(payer, { max_single_transfer: 30 }, by);
  const finalized = await rpc('getSlot', [{ commitment: 'confirmed' }], validator.rpcUrl);
  await eventually(
    async () => expect(await rpc('getSlot', [{ commitment: 'finalized' }], validator.rpcUrl)).toBeGreaterThan(finalized),
    SLOW,
  );
  await validator.kill();
  cpSync(ledger, copy, { recursive: true, filter: (path) => !path.endsWith('admin.rpc') });
  await validator.start();

  const request = order(payer, payee, '10');
  const { transfer_id } = await eventually(async () => bodyOf(await by.post('/v1/transfers', request), 200), SLOW);
  await setPolicy(payer, { max_single_transfer: 15 }, by);
  await service?.stop();
  await validator.kill();
  rmSync(ledger, { recursive: true });
  cpSync(copy, ledger, { recursive: true });
  await validator.start();
  await eventually(async () => expect(await chainBalance(payee.tokenAccount, validator.rpcUrl)).toBe(0n), SLOW);

  by = await start();
  const typesOf = async (): Promise<string[]> => (await eventsOf(payer, databaseUrl)).map(([type]) => type);
  await eventually(async () => expect(await typesOf()).toContain('transfer.reversed'), SLOW);
  // Signed again, but not under the older policy: it is set again first.
  await eventually(async () => void (await setPolicy(payer, { max_single_transfer: 15 }, by)), SLOW);
  await eventually(
    async () => expect(bodyOf(await by.post('/v1/transfers', request), 200)).toMatchObject({ transfer_id, status: 'settled' }),
    SLOW,
  );
  expect(await typesOf()).toEqual(['transfer.initiated', 'transfer.settled', 'transfer.reversed', 'transfer.settled']);
  expect(await chainBalance(payee.tokenAccount, validator.rpcUrl)).toBe(10_000_000n);
  expect(await by.post('/v1/transfers', order(payer, payee, '20'))).toMatchObject({ status: 402 });
});
