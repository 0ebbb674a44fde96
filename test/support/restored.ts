/** A database that is restored from a backup beside the chain that went on, as `docs/guides/restore.md` describes it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { api, type Api, type Body } from './api';
import { newDatabase, newOperatorKey, settingsOf, startBeside } from './operators';
import { sharedService, type Service } from './service';

const RECONCILE = join(__dirname, '..', '..', 'dist', 'apps', 'api', 'src', 'bin', 'reconcile.js');

/** A service on a database of its own, which can be backed up and restored. */
export class Restorable {
  service: Service | undefined;
  by: Api;

  private constructor(
    private databaseUrl: string,
    private readonly operatorKey: string,
    private readonly variables: Record<string, string>,
  ) {}

  static async start(variables: Record<string, string> = {}): Promise<Restorable> {
    const databaseUrl = await newDatabase(sharedService());
    const operatorKey = await newOperatorKey(sharedService(), databaseUrl);
    const restorable = new Restorable(databaseUrl, operatorKey, { LEASE_MS: '1000', ...variables });
    await restorable.run();
    return restorable;
  }

  /** Backs the database up, does some work that the backup does not have, and restores the backup. */
  async loseWhat<T>(work: () => Promise<T>): Promise<T> {
    await this.stop();
    const backupUrl = await copyOf(this.databaseUrl);
    await this.run();
    const done = await work();
    await this.stop();
    this.databaseUrl = backupUrl;
    await this.run();
    return done;
  }

  /** Output and exit status of `npm run reconcile`. */
  reconcile(...options: string[]): Promise<{ report: Body; status: number }> {
    return reconcileAt(this.databaseUrl, ...options);
  }

  async stop(): Promise<void> {
    await this.service?.stop();
    this.service = undefined;
  }

  private async run(): Promise<void> {
    const { operatorKey, databaseUrl } = this;
    this.service = await startBeside(sharedService(), { operatorKey, variables: { DATABASE_URL: databaseUrl, ...this.variables } });
    this.by = api(this.service.baseUrl, operatorKey);
  }
}

/** Copies a database, as a backup and its restoration do. */
export async function copyOf(databaseUrl: string): Promise<string> {
  const [original, copy] = [new URL(databaseUrl), new URL(databaseUrl)];
  copy.pathname = `${original.pathname}_restored`;
  const client = new Client({ connectionString: sharedService().sandbox.database_url });
  await client.connect();
  await client.query(`CREATE DATABASE ${copy.pathname.slice(1)} TEMPLATE ${original.pathname.slice(1)}`);
  await client.end();
  return copy.href;
}

export async function reconcileAt(databaseUrl: string, ...options: string[]): Promise<{ report: Body; status: number }> {
  const env = { PATH: process.env.PATH, ...settingsOf(sharedService()), DATABASE_URL: databaseUrl };
  const { stdout, code = 0 } = (await promisify(execFile)(process.execPath, [RECONCILE, ...options], { env }).catch(
    (error: { stdout: string; code: number }) => error,
  )) as { stdout: string; code?: number };
  return { report: JSON.parse(stdout) as Body, status: code };
}
