/** Stock sellers of x402, each in a process of its own, because their packages are ES modules. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { networkNames } from '#x402';
import type { Service } from '../service';
import { rpc } from '../world';

/** Its file beside this one; the first lines there say what it sells. */
export type X402SellerKind = 'express-v2' | 'express-v1' | 'pay-kit' | 'mcp' | 'upto';

export interface X402SellerSettings {
  rpcUrl: string;
  mint: string;
  /** Owner of a token account that exists. */
  payTo: string;
  /** CAIP-2. */
  network: string;
  /** Name of the network in version 1. Default `solana-devnet`. */
  v1Network?: string;
  /** Base units. Default 10,000. */
  price?: bigint;
  /** Wallet programs that its facilitator takes; empty: the facilitator's own list. Default: it takes none. */
  walletPrograms?: string[];
}

export interface X402Seller {
  url: string;
  /** Its output, to stdout and stderr. */
  output(): string;
  stop(): Promise<void>;
}

/** Chain, mint and network of a seller that is paid on the chain of a service. */
export async function sellerTerms(
  { sandbox: { rpc_url: rpcUrl, usdc_mint: mint } }: Pick<Service, 'sandbox'>,
  { address: payTo }: { address: string },
): Promise<Pick<X402SellerSettings, 'rpcUrl' | 'mint' | 'payTo' | 'network'>> {
  const { caip2: network } = networkNames(String(await rpc('getGenesisHash', [], rpcUrl)));
  return { rpcUrl, mint, payTo, network };
}

/** The sellers are not compiled: also if this file runs from dist, they are in the sources. */
const SELLERS = __dirname.replace(join('dist', 'test'), 'test');
/** Loading the packages takes seconds on a busy machine. */
const READY_TIMEOUT_MS = 60_000;

/** Starts a seller with a facilitator of its own on free ports. @throws Error with its output if it does not start */
export async function startX402Seller(kind: X402SellerKind, settings: X402SellerSettings): Promise<X402Seller> {
  const { rpcUrl, mint, payTo, network, v1Network, price, walletPrograms } = settings;
  const child = spawn(process.execPath, [join(SELLERS, `${kind}.mjs`)], {
    env: {
      PATH: process.env.PATH,
      SOLANA_RPC_URL: rpcUrl,
      USDC_MINT: mint,
      PAYEE: payTo,
      NETWORK: network,
      ...(v1Network !== undefined && { V1_NETWORK: v1Network }),
      ...(price !== undefined && { PRICE: `${price}` }),
      ...(walletPrograms && { WALLET_PROGRAMS: walletPrograms.join() }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const port = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), READY_TIMEOUT_MS);
    child.once('exit', (code) => reject(new Error(`The seller ${kind} ended with ${code}:\n${output}`)));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        const ready = /^READY (\d+)$/m.exec(output)?.[1];
        if (ready === undefined) return;
        clearTimeout(timer);
        resolve(ready);
      });
    }
  });
  return {
    url: `http://127.0.0.1:${port}`,
    output: () => output,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
