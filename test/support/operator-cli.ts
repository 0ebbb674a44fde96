/** Operators of their own at the command line, who hold their chain key themselves. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import { api, type Api, type Body } from './api';
import { Cli } from './cli';
import { newOperatorKey } from './operators';
import { sharedService } from './service';
import { anAccount, bodyOf, type TestAccount } from './world';

/** An operator of its own at the command line. */
export class OperatorCli extends Cli {
  readonly keypair = Keypair.generate();
  readonly by: Api;

  constructor(key: string) {
    const { baseUrl } = sharedService();
    super({ APS_BASE_URL: baseUrl, APS_KEY: key });
    this.by = api(baseUrl, key);
  }

  static async create(): Promise<OperatorCli> {
    const { sandbox, dataDir } = sharedService();
    return new OperatorCli(await newOperatorKey({ sandbox, dataDir }));
  }

  /** An operator whose accounts obey the keypair. */
  static async createHolder(): Promise<OperatorCli> {
    const cli = await OperatorCli.create();
    await cli.json('chain-key', 'set', '--yes', '--keypair', cli.file());
    return cli;
  }

  get address(): string {
    return this.keypair.publicKey.toBase58();
  }

  /** Writes a keypair as solana-keygen does. Returns the path. */
  file(name = 'chain-key.json', { secretKey } = this.keypair): string {
    const path = join(this.directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify([...secretKey]), { mode: 0o600 });
    return path;
  }

  async policyOf(account: string): Promise<Body> {
    return bodyOf(await this.by.get(`/v1/accounts/${account}/policy`), 200);
  }

  account(usdc?: string): Promise<TestAccount> {
    return anAccount({ by: this.by, ...(usdc !== undefined && { usdc }) });
  }

  /** Asks for a change of a policy without a key. Returns the id of the request. */
  async ask(account: string, ...options: string[]): Promise<string> {
    return (await this.json('policy', 'set', account, '--yes', ...options)).signature_request_id;
  }

  /** Whether a text contains the secret key. */
  shows(text: string): boolean {
    const seed = this.keypair.secretKey.slice(0, 32);
    const encodings = (['hex', 'base64', 'base64url'] as const).map((encoding) => Buffer.from(seed).toString(encoding));
    return [...encodings, [...seed].slice(0, 8).join(',')].some((secret) => text.includes(secret));
  }
}
