/**
 * A seller of x402 `batch-settlement` on Solana that is its own facilitator, written from the specification: scheme_batch_settlement_svm.md
 * of x402-foundation/x402 at 0ce3e9c08d0c25462fc214fb7471f5472e59ce5a. No package has one. By path:
 *
 *   /quote    serves
 *   /loses    serves, and its first answer to each payment is a 500
 *   /refuses  answers 402 to every payment, and does nothing
 *   /lands    answers 402 to every payment, and sends its deposit
 */
import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Connection,
  Ed25519Program,
  Keypair,
  PublicKey,
  SYSVAR_INSTRUCTIONS_PUBKEY,
  Transaction,
  TransactionInstruction,
  VersionedTransaction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import { channelAddress, type ChannelTerms, distributeChannel, openChannel, PAYMENT_CHANNELS_ADDRESS } from '#chain';
import { voucherBytes } from '#mpp';
import { bindingMemo, networkNames } from '#x402';
import { tokenAccountOf } from './channels';
import type { Service } from './service';
import { rpc } from './world';

const LAMPORTS = 1_000_000_000;
const SETTLE_AND_SEAL = 4;
const ED25519_DER = Buffer.from('302a300506032b6570032100', 'hex');

interface Config {
  payer: string;
  payerAuthorizer: string;
  receiver: string;
  receiverAuthorizer: string;
  token: string;
  withdrawDelay: number;
  salt: string;
  openSlot: number;
}
interface Content {
  type: 'deposit' | 'voucher' | 'refund';
  channelConfig: Config;
  voucher: { channelId: string; maxClaimableAmount: string; expiresAt: number; signature: string };
  deposit?: { amount: string; transaction: string };
}
interface Stored {
  terms: ChannelTerms;
  charged: bigint;
  signature: string;
  isClosed: boolean;
}
type Answer = { status: number; headers?: Record<string, string>; body: string };

export class BatchSeller {
  url = '';
  readonly receiver = Keypair.generate();
  tokenAccount = '';
  private readonly key = Keypair.generate();
  private readonly authorizer = Keypair.generate().publicKey.toBase58();
  private readonly channels = new Map<string, Stored>();
  private readonly answers = new Map<string, Answer>();
  private readonly memo = randomBytes(8).toString('hex');
  private readonly server = createServer((request, response) => void this.serve(request, response));
  private network = '';

  private constructor(
    private readonly service: Pick<Service, 'sandbox' | 'dataDir'>,
    private readonly amount: bigint,
    private readonly extra: object,
  ) {}

  /** `amount`: of a call in micro-USDC; `extra`: members of the offer's `extra` that a test replaces. */
  static async start(service: Pick<Service, 'sandbox' | 'dataDir'>, amount: bigint, extra: object = {}): Promise<BatchSeller> {
    const seller = new BatchSeller(service, amount, extra);
    const { connection } = seller;
    await connection.confirmTransaction(await connection.requestAirdrop(seller.key.publicKey, LAMPORTS), 'confirmed');
    await tokenAccountOf(service, seller.key.publicKey);
    seller.tokenAccount = await tokenAccountOf(service, seller.receiver.publicKey);
    seller.network = networkNames(String(await rpc('getGenesisHash', [], service.sandbox.rpc_url))).caip2;
    await new Promise<void>((resolve) => seller.server.listen(0, '127.0.0.1', resolve));
    seller.url = `http://127.0.0.1:${(seller.server.address() as AddressInfo).port}`;
    return seller;
  }

  get payee(): string {
    return this.receiver.publicKey.toBase58();
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private get connection(): Connection {
    const { rpc_url, ws_url } = this.service.sandbox;
    return new Connection(rpc_url, { commitment: 'confirmed', wsEndpoint: ws_url });
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const header = request.headers['payment-signature'];
    const { status, headers, body } = await this.answer(request.url ?? '', typeof header === 'string' ? header : undefined);
    response.writeHead(status, headers).end(body);
  }

  private async answer(path: string, header: string | undefined): Promise<Answer> {
    if (header === undefined) return this.demand('payment required');
    const kept = this.answers.get(header);
    if (kept) return kept;
    const { accepted, payload } = JSON.parse(Buffer.from(header, 'base64').toString()) as { accepted: unknown; payload: Content };
    try {
      if (JSON.stringify(accepted) !== JSON.stringify(this.offer())) throw new Error('accepted is another offer');
      if (path === '/refuses') throw new Error('refused');
      const answer = payload.type === 'refund' ? await this.refund(payload) : await this.pay(payload);
      if (path === '/lands') throw new Error('refused');
      this.answers.set(header, answer);
      return path === '/loses' && payload.type !== 'refund' ? { status: 500, body: 'lost' } : answer;
    } catch (error) {
      return this.demand(`invalid_batch_settlement_svm: ${(error as Error).message}`);
    }
  }

  /** A call: its deposit is checked before it is served and sent afterwards. */
  private async pay({ type, channelConfig, voucher, deposit }: Content): Promise<Answer> {
    const known = this.channels.get(voucher.channelId);
    const terms = known?.terms ?? this.termsOf(channelConfig, BigInt(deposit?.amount ?? 0));
    if ((type === 'deposit') !== !known) throw new Error('a deposit opens a channel, and a voucher is of an open one');
    const cumulative = BigInt(voucher.maxClaimableAmount);
    requireVoucher(terms, voucher);
    if (known?.isClosed) throw new Error('channel_closing');
    if (cumulative !== (known?.charged ?? 0n) + this.amount || cumulative > terms.deposit) throw new Error('cumulative_amount_mismatch');
    let transaction = '';
    if (deposit) transaction = await this.send(this.checked(deposit.transaction, terms));
    this.channels.set(voucher.channelId, { terms, charged: cumulative, signature: voucher.signature, isClosed: false });
    const extra = { commitmentId: `${voucher.channelId}:${cumulative}`, chargedAmount: `${this.amount}` };
    return this.settled({ transaction, payer: terms.payer, amount: deposit?.amount ?? '', extra });
  }

  private termsOf(config: Config, deposit: bigint): ChannelTerms {
    const offer = this.offer();
    if (config.receiver !== this.payee || config.token !== offer.asset) throw new Error('channelConfig is of another offer');
    if (config.receiverAuthorizer !== this.authorizer) throw new Error('receiver_authorizer_mismatch');
    const feePayer = this.key.publicKey.toBase58();
    return {
      payer: config.payer,
      rentPayer: feePayer,
      payee: feePayer,
      mint: config.token,
      authorizedSigner: config.payerAuthorizer,
      salt: BigInt(config.salt),
      openSlot: BigInt(config.openSlot),
      deposit,
      graceSeconds: config.withdrawDelay,
      recipients: [{ owner: this.payee, shareBps: 10_000 }],
    };
  }

  /** The signed transaction, if it is [limit] [price] `open` memo and binding memo, with no signer but the payer and the facilitator. */
  private checked(base64: string, terms: ChannelTerms): VersionedTransaction {
    const transaction = VersionedTransaction.deserialize(Buffer.from(base64, 'base64'));
    const { message } = transaction;
    const keys = message.staticAccountKeys.map((key) => key.toBase58());
    const signers = keys.slice(0, message.header.numRequiredSignatures);
    if (message.addressTableLookups.length > 0 || signers[0] !== terms.rentPayer || signers.length !== 2 || signers[1] !== terms.payer)
      throw new Error('payload_open_transaction: signers');
    const programs = message.compiledInstructions.map(({ programIdIndex }) => keys[programIdIndex] ?? '');
    const names = programs.map((program) => (program.startsWith('Compute') ? 'budget' : program.startsWith('MemoSq4') ? 'memo' : 'open'));
    if (names.join() !== 'budget,budget,open,memo,memo' || programs[2] !== PAYMENT_CHANNELS_ADDRESS)
      throw new Error(`payload_open_transaction: ${names}`);
    const [, , open, memo, binding] = message.compiledInstructions.map(({ data }) => Buffer.from(data));
    const expected = openChannel(terms);
    const accounts = message.compiledInstructions[2]?.accountKeyIndexes.map((index) => keys[index]);
    if (!open?.equals(expected.data) || accounts?.join() !== expected.keys.map(({ pubkey }) => pubkey.toBase58()).join())
      throw new Error('payload_open_transaction: open');
    if (memo?.toString() !== this.memo || binding?.toString() !== bindingMemo(this.authorizer))
      throw new Error('payload_open_transaction: memos');
    return transaction;
  }

  private async send(transaction: VersionedTransaction): Promise<string> {
    transaction.sign([this.key]);
    const signature = await this.connection.sendTransaction(transaction);
    await this.connection.confirmTransaction(signature, 'confirmed');
    return signature;
  }

  /** Closes a channel at its accepted amount: the receiver is paid, and the rest goes back at once. */
  private async refund({ voucher }: Content): Promise<Answer> {
    const stored = this.channels.get(voucher.channelId);
    if (!stored || BigInt(voucher.maxClaimableAmount) !== stored.charged) throw new Error('cumulative_amount_mismatch');
    requireVoucher(stored.terms, voucher);
    stored.isClosed = true;
    const { terms, charged } = stored;
    const message = voucherBytes({ channelId: voucher.channelId, cumulativeAmount: charged, expiresAt: 0n });
    const proof = Ed25519Program.createInstructionWithPublicKey({
      publicKey: new PublicKey(terms.authorizedSigner).toBytes(),
      message,
      signature: bs58.decode(voucher.signature),
    });
    const seal = new TransactionInstruction({
      programId: new PublicKey(PAYMENT_CHANNELS_ADDRESS),
      keys: [
        { pubkey: this.key.publicKey, isSigner: true, isWritable: false },
        { pubkey: new PublicKey(voucher.channelId), isSigner: false, isWritable: true },
        { pubkey: SYSVAR_INSTRUCTIONS_PUBKEY, isSigner: false, isWritable: false },
      ],
      data: Buffer.of(SETTLE_AND_SEAL, 1),
    });
    const { connection } = this;
    const signature = await connection.sendTransaction(new Transaction().add(proof, seal, distributeChannel(terms)), [this.key]);
    await connection.confirmTransaction(signature, 'confirmed');
    return this.settled({ transaction: signature, payer: terms.payer, amount: `${terms.deposit - charged}` });
  }

  private settled(members: object): Answer {
    const response = { success: true, network: this.network, ...members };
    return { status: 200, headers: { 'PAYMENT-RESPONSE': Buffer.from(JSON.stringify(response)).toString('base64') }, body: 'served' };
  }

  private demand(error: string): Answer {
    const required = { x402Version: 2, error, resource: { url: this.url }, accepts: [this.offer()] };
    return { status: 402, headers: { 'PAYMENT-REQUIRED': Buffer.from(JSON.stringify(required)).toString('base64') }, body: '{}' };
  }

  private offer() {
    return {
      scheme: 'batch-settlement',
      network: this.network,
      amount: `${this.amount}`,
      asset: this.service.sandbox.usdc_mint,
      payTo: this.payee,
      maxTimeoutSeconds: 60,
      extra: {
        feePayer: this.key.publicKey.toBase58(),
        receiverAuthorizer: this.authorizer,
        withdrawDelay: 900,
        tokenProgram: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
        minDeposit: `${this.amount * 3n}`,
        memo: this.memo,
        ...this.extra,
      },
    };
  }
}

/** A voucher of a channel, by its authorizer, without expiry. */
function requireVoucher(terms: ChannelTerms, { channelId, maxClaimableAmount, expiresAt, signature }: Content['voucher']): void {
  if (channelId !== channelAddress(terms) || expiresAt !== 0) throw new Error('voucher: another channel');
  const message = voucherBytes({ channelId, cumulativeAmount: BigInt(maxClaimableAmount), expiresAt: 0n });
  const key = createPublicKey({
    key: Buffer.concat([ED25519_DER, new PublicKey(terms.authorizedSigner).toBuffer()]),
    format: 'der',
    type: 'spki',
  });
  if (!verify(null, message, key, bs58.decode(signature))) throw new Error('voucher: signature');
}
