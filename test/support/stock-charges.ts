/** A stock provider of `@solana/mpp` that takes charges, in a process of its own, because its package is an ES module. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { eventually } from './eventually';
import type { SharedService } from './service';

export interface StockChargeProvider {
  url: string;
  stop(): void;
}

/** Starts it on a free port and the chain of a service. `payee`: the owner of the token account that is paid. */
export async function startStockChargeProvider({ sandbox }: Pick<SharedService, 'sandbox'>, payee: string): Promise<StockChargeProvider> {
  const { rpc_url: SOLANA_RPC_URL, usdc_mint: USDC_MINT } = sandbox;
  const child = spawn(process.execPath, [join(__dirname, 'stock-charge-provider.mjs')], {
    env: { PATH: process.env.PATH, SOLANA_RPC_URL, USDC_MINT, PAYEE: payee },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => void (said += chunk.toString()));
  const url = await eventually(
    () => {
      const ready = /^PROVIDER_URL=(.+)$/m.exec(said)?.[1];
      if (ready === undefined) throw new Error('The stock provider is not ready.');
      return ready;
    },
    { timeoutMs: 120_000 },
  );
  return { url, stop: () => void child.kill() };
}
