/** Payment channels on the chain of a service under test, and a metered seller that misbehaves. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { getOrCreateAssociatedTokenAccount } from '@solana/spl-token';
import { Connection, Keypair, PublicKey, VersionedTransaction } from '@solana/web3.js';
import { networkNames } from '#x402';
import { settingsOf } from './operators';
import type { Service } from './service';
import { rpc } from './world';
import { listening } from './listening';

const LAMPORTS = 1_000_000_000;

type Ground = Pick<Service, 'sandbox' | 'dataDir'>;

const connectionTo = ({ sandbox: { rpc_url, ws_url } }: Ground): Connection =>
  new Connection(rpc_url, { commitment: 'confirmed', wsEndpoint: ws_url });

/** Creates the token account of an owner, at the cost of the service's fee payer. Returns its address. */
export async function tokenAccountOf(service: Ground, owner: PublicKey): Promise<string> {
  const feePayer = Keypair.fromSecretKey(Uint8Array.from(JSON.parse(settingsOf(service).FEE_PAYER_KEY ?? '') as number[]));
  const mint = new PublicKey(service.sandbox.usdc_mint);
  const { address } = await getOrCreateAssociatedTokenAccount(connectionTo(service), feePayer, mint, owner, true, 'confirmed');
  return address.toBase58();
}

/**
 * A seller of x402 `upto` that is its own facilitator and never settles. By path:
 *
 *   /keeps    opens the channel and serves
 *   /refuses  answers 402 and does nothing
 *   /lands    answers 402 and opens the channel
 *   /breaks   opens the channel and gives no answer
 */
export class MeteredSeller {
  url = '';
  /** Channels that it opened. */
  readonly opened: string[] = [];
  private readonly key = Keypair.generate();
  private readonly server = createServer((request, response) => void this.answer(request, response));
  private network = '';

  private constructor(
    private readonly service: Ground,
    private readonly offer: Record<string, unknown>,
  ) {}

  /** `extra`: members of the offer's `extra` that a test replaces. */
  static async start(
    service: Ground,
    { payTo, amount, extra = {} }: { payTo: string; amount: bigint; extra?: object },
  ): Promise<MeteredSeller> {
    const seller = new MeteredSeller(service, { payTo, amount: `${amount}`, extra });
    const connection = connectionTo(service);
    await connection.confirmTransaction(await connection.requestAirdrop(seller.key.publicKey, LAMPORTS), 'confirmed');
    await tokenAccountOf(service, seller.key.publicKey);
    seller.network = networkNames(String(await rpc('getGenesisHash', [], service.sandbox.rpc_url))).caip2;
    seller.url = await listening(seller.server);
    return seller;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const payment = request.headers['payment-signature'];
    const path = request.url ?? '';
    if (typeof payment === 'string' && path !== '/refuses') await this.open(payment);
    if (typeof payment === 'string' && path === '/keeps') return void response.writeHead(200).end('served');
    if (typeof payment === 'string' && path === '/breaks') return void response.destroy();
    response.writeHead(402, { 'PAYMENT-REQUIRED': Buffer.from(JSON.stringify(this.required())).toString('base64') }).end('{}');
  }

  private required(): object {
    const { payTo, amount, extra } = this.offer;
    const key = this.key.publicKey.toBase58();
    const terms = { feePayer: key, receiverAuthorizer: key, withdrawDelay: 900, paymentFlow: 'escrow', ...(extra as object) };
    const offer = { scheme: 'upto', network: this.network, amount, asset: this.service.sandbox.usdc_mint, payTo, maxTimeoutSeconds: 60 };
    return { x402Version: 2, resource: { url: this.url }, accepts: [{ ...offer, extra: terms }] };
  }

  /** Signs an opening as its fee payer and submits it. */
  private async open(payment: string): Promise<void> {
    const { payload } = JSON.parse(Buffer.from(payment, 'base64').toString()) as {
      payload: { openTransaction: string; channelId: string };
    };
    const transaction = VersionedTransaction.deserialize(Buffer.from(payload.openTransaction, 'base64'));
    transaction.sign([this.key]);
    const connection = connectionTo(this.service);
    await connection.confirmTransaction(await connection.sendTransaction(transaction), 'confirmed');
    this.opened.push(payload.channelId);
  }
}
