/** A stock seller of MPP sessions on payment-channels: solana-pay-kit of PyPI. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { Connection, Keypair } from '@solana/web3.js';
import { tokenAccountOf } from './channels';
import { hasPythonPackage, pythonTools } from './python-tools';
import type { Service } from './service';

const LAMPORTS = 1_000_000_000;

/** A test that needs the stock seller: skipped if the Python is too old for it. */
export const testWithSeller: jest.It = hasPythonPackage('solana-pay-kit') ? test : test.skip;

export class SessionSeller {
  private constructor(
    private readonly process: ChildProcess,
    readonly url: string,
    /** The owner that is paid, and its token account. */
    readonly payee: string,
    readonly tokenAccount: string,
  ) {}

  /** `terms`: `amount` of a call and suggested `deposit` in micro-USDC, `grace` in seconds, `fee_payer`, `voucher_signer`. */
  static async start(service: Pick<Service, 'sandbox' | 'dataDir'>, terms: Record<string, unknown>): Promise<SessionSeller> {
    const { rpc_url: rpc, ws_url: wsEndpoint, usdc_mint: mint } = service.sandbox;
    const key = Keypair.generate();
    const connection = new Connection(rpc, { commitment: 'confirmed', wsEndpoint });
    await connection.confirmTransaction(await connection.requestAirdrop(key.publicKey, LAMPORTS), 'confirmed');
    const tokenAccount = await tokenAccountOf(service, key.publicKey);
    const options = JSON.stringify({ key: [...key.secretKey], rpc, mint, ...terms });
    const child = spawn(join(pythonTools(), 'python'), [join(__dirname, 'mpp-session-seller.py'), options], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const port = await new Promise<number>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the seller ended with ${code}`)));
      child.stdout?.once('data', (text: Buffer) => resolve(Number(text.toString())));
    });
    return new SessionSeller(child, `http://127.0.0.1:${port}`, key.publicKey.toBase58(), tokenAccount);
  }

  stop(): void {
    this.process.removeAllListeners('exit');
    this.process.kill('SIGKILL');
  }
}
