/** A service on an embedded chain that can be taken back to an earlier state, as a validator is by an older copy of its ledger. */
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { api, type Api } from './api';
import { eventually } from './eventually';
import { type Service, startService } from './service';
import { rpc } from './world';

/** More slots than a blockhash lives, also one of before the rollback. */
const EXPIRY_SLOTS = 1_000;

/** A settled order is looked at again after 20 seconds, and sent again if it vanished. */
export const HEALED = { timeoutMs: 240_000 };

export class RollbackStage {
  by: Api;

  private constructor(readonly service: Service) {
    this.by = api(service.baseUrl, service.operatorKey);
  }

  static async start(): Promise<RollbackStage> {
    return new RollbackStage(await startService({ variables: { LEASE_MS: '1000' } }));
  }

  /** Does some work, kills the service and its chain, and replaces the chain's folder by the copy from before the work. */
  async rolledBack<T>(work: () => Promise<T>): Promise<T> {
    const { service } = this;
    const [ledger, copy] = [join(service.dataDir, 'chain'), join(service.dataDir, 'chain-before')];
    await service.kill('SIGTERM');
    cpSync(ledger, copy, { recursive: true });
    await this.restart();
    const { pid } = JSON.parse(readFileSync(join(ledger, 'lock.json'), 'utf8')) as { pid: number };
    const done = await work();
    await service.kill('SIGKILL');
    await eventually(() => expect(() => process.kill(pid, 0)).toThrow());
    rmSync(ledger, { recursive: true });
    cpSync(copy, ledger, { recursive: true });
    await this.restart();
    return done;
  }

  /** Nothing that was signed so far can land any more. */
  async expireTransactions(): Promise<void> {
    await rpc('sandbox_advanceSlots', [{ slots: EXPIRY_SLOTS }], this.service.sandbox.rpc_url);
  }

  private async restart(): Promise<void> {
    await this.service.start();
    this.by = api(this.service.baseUrl, this.service.operatorKey);
  }
}
