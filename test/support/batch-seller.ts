/**
 * A seller of x402 `batch-settlement` on Solana that is its own facilitator, written from the specification: scheme_batch_settlement_svm.md
 * of x402-foundation/x402 at 0ce3e9c08d0c25462fc214fb7471f5472e59ce5a. No package has one. By path:
 *
 *   /quote    serves
 *   /loses    serves, and its first answer to each payment is a 500
 *   /refuses  answers 402 to every payment, and does nothing
 *   /lands    answers 402 to every payment, and sends its deposit
 *   /keeps    serves, and does not send the top-up of a payment
 *   /forges   answers that it accepted more, by a voucher that another key signed
 *   /exceeds  answers that it accepted more than the payer's last voucher, which it shows
 *   /half     of vouchers that it signs itself: charges half
 *   /greedy   of vouchers that it signs itself: signs more than was allowed
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Connection, Keypair, Transaction, type VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { type ChannelTerms, LocalSigner } from '#chain';
import { voucherBytes } from '#mpp';
import { networkNames } from '#x402';
import {
  channelOf,
  checkedDeposit,
  type Config,
  type Content,
  required,
  requireAuthorization,
  requireVoucher,
  type Voucher,
} from './batch-payments';
import { sealChannel, settleVoucher, type Stored } from './batch-closings';
import { tokenAccountOf } from './channels';
import { eventually } from './eventually';
import type { Service } from './service';
import { rpc } from './world';
import { listening } from './listening';

const LAMPORTS = 1_000_000_000;
const MISMATCH = 'cumulative_amount_mismatch';

type Answer = { status: number; headers?: Record<string, string>; body: string };

export class BatchSeller {
  url = '';
  readonly receiver = Keypair.generate();
  tokenAccount = '';
  private readonly key = Keypair.generate();
  readonly authorizer = Keypair.generate().publicKey.toBase58();
  private readonly channels = new Map<string, Stored>();
  private readonly answers = new Map<string, Answer>();
  private readonly operatorKey = Keypair.generate();
  readonly memo = randomBytes(8).toString('hex');
  private readonly requests = new Set<string>();
  private readonly seen = new Map<string, bigint>();
  private readonly server = createServer((request, response) => void this.serve(request, response));
  private network = '';

  private constructor(
    private readonly service: Pick<Service, 'sandbox' | 'dataDir'>,
    private readonly amount: bigint,
    private readonly extra: object,
    private readonly signsItself: boolean,
  ) {}

  /**
   * `amount`: of a call in micro-USDC; `extra`: members of the offer's `extra` that a test replaces; `signsItself`: whether the seller's
   * operator signs the vouchers.
   */
  static async start(
    service: Pick<Service, 'sandbox' | 'dataDir'>,
    amount: bigint,
    { extra = {}, signsItself = false }: { extra?: object; signsItself?: boolean } = {},
  ): Promise<BatchSeller> {
    const seller = new BatchSeller(service, amount, extra, signsItself);
    const { connection } = seller;
    await seller.confirmed(await connection.requestAirdrop(seller.key.publicKey, LAMPORTS));
    await tokenAccountOf(service, seller.key.publicKey);
    seller.tokenAccount = await tokenAccountOf(service, seller.receiver.publicKey);
    seller.network = networkNames(String(await rpc('getGenesisHash', [], service.sandbox.rpc_url))).caip2;
    seller.url = await listening(seller.server);
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
      this.note(payload);
      if (path === '/forges' || path === '/exceeds') return this.mismatch(channelOf(payload), path);
      const answer = payload.type === 'refund' ? await this.refund(payload) : await this.pay(payload, path);
      if (path === '/lands') throw new Error('refused');
      this.answers.set(header, answer);
      return path === '/loses' && payload.type !== 'refund' ? { status: 500, body: 'lost' } : answer;
    } catch (error) {
      const { message } = error as Error;
      return message === MISMATCH ? this.mismatch(channelOf(payload), path) : this.demand(`invalid_batch_settlement_svm: ${message}`);
    }
  }

  /** The highest sum that the payer's vouchers of a channel allowed, whether or not they were accepted. */
  highest(channelId: string): bigint {
    return this.seen.get(channelId) ?? 0n;
  }

  /** Answers no credential as it did before. */
  forgetAnswers(): void {
    this.answers.clear();
  }

  private note({ voucher }: Content): void {
    if (!voucher) return;
    const sum = BigInt(voucher.maxClaimableAmount);
    if (sum > this.highest(voucher.channelId)) this.seen.set(voucher.channelId, sum);
  }

  /** The answer to a voucher of another sum, with what was accepted and its proof. */
  private mismatch(channelId: string, path: string): Answer {
    const { charged = 0n, signature = null } = this.channels.get(channelId) ?? {};
    const more = this.amount * 3n;
    const said = path === '/forges' || path === '/exceeds' ? charged + more : charged;
    const signed = path === '/forges' ? said : charged;
    const channelState = { channelId, balance: '1000000', totalClaimed: '0', withdrawRequestedAt: 0, chargedCumulativeAmount: `${said}` };
    const voucherState = signature !== null && { signedMaxClaimable: `${signed}`, expiresAt: 0, signature };
    return this.demand(`invalid_batch_settlement_svm_${MISMATCH}`, { channelState, ...(voucherState && { voucherState }) });
  }

  /** Settles on chain what was accepted in a channel, and forgets the voucher. */
  async claim(channelId: string): Promise<void> {
    const stored = required(this.channels.get(channelId));
    await this.landed(new Transaction().add(...settleVoucher(channelId, stored)));
    stored.signature = null;
  }

  /** A call: its deposit is checked before it is served and sent afterwards. */
  private async pay(content: Content, path: string): Promise<Answer> {
    const { type, channelConfig, deposit } = content;
    const channelId = channelOf(content);
    const known = this.channels.get(channelId);
    const added = BigInt(deposit?.amount ?? 0);
    const terms = known ? { ...known.terms, deposit: known.terms.deposit + added } : this.termsOf(channelConfig, added);
    if (type !== 'deposit' && !known) throw new Error('a voucher is of an open channel');
    if (known?.isClosed) throw new Error('channel_closing');
    const charged = known?.charged ?? 0n;
    const voucher = this.operator ? await this.signed(terms, content, charged, path) : content.voucher;
    if (!voucher) throw new Error('no voucher');
    requireVoucher(terms, voucher);
    const cumulative = BigInt(voucher.maxClaimableAmount);
    if (!this.operator && cumulative !== charged + this.amount) throw new Error(MISMATCH);
    if (cumulative > terms.deposit) throw new Error(MISMATCH);
    let transaction = '';
    const isKept = path === '/keeps' && known !== undefined;
    if (deposit && !isKept) transaction = await this.send(checkedDeposit(deposit.transaction, terms, known ? added : null, this));
    this.channels.set(channelId, { terms, charged: cumulative, signature: voucher.signature, isClosed: false });
    const extra = {
      commitmentId: `${channelId}:${cumulative}`,
      chargedAmount: `${cumulative - charged}`,
      ...(this.operator && { voucher }),
    };
    return this.settled({ transaction, payer: terms.payer, amount: deposit?.amount ?? '', extra });
  }

  /** The voucher that the operator signs for a request which the payer allowed. */
  private async signed(
    terms: ChannelTerms,
    { channelConfig, authorization, voucher }: Content,
    charged: bigint,
    path: string,
  ): Promise<Voucher> {
    if (channelConfig.voucherSigner !== 'server' || voucher || !authorization) throw new Error('payload_type');
    requireAuthorization(terms, authorization, this.amount, this.requests);
    const price = path === '/half' ? this.amount / 2n : path === '/greedy' ? this.amount * 2n : this.amount;
    return this.operatorVoucher(authorization.channelId, charged + price);
  }

  private async operatorVoucher(channelId: string, cumulative: bigint): Promise<Voucher> {
    const signer = LocalSigner.fromSeed(this.operatorKey.secretKey);
    const signature = await signer.sign(voucherBytes({ channelId, cumulativeAmount: cumulative, expiresAt: 0n }));
    return { channelId, maxClaimableAmount: `${cumulative}`, expiresAt: 0, signature: bs58.encode(signature) };
  }

  /** The key that signs the vouchers; null where payers do. */
  get operator(): string | null {
    return this.signsItself ? this.operatorKey.publicKey.toBase58() : null;
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

  private async send(transaction: VersionedTransaction): Promise<string> {
    transaction.sign([this.key]);
    return this.confirmed(await this.connection.sendTransaction(transaction));
  }

  /** Closes a channel at its accepted amount: the receiver is paid, and the rest goes back at once. */
  private async refund(content: Content): Promise<Answer> {
    const channelId = channelOf(content);
    const stored = this.channels.get(channelId);
    if (!stored) throw new Error('channel_not_found');
    const { terms, charged } = stored;
    if (this.operator) requireAuthorization(terms, required(content.authorization), 0n, this.requests);
    else if (required(content.voucher).maxClaimableAmount !== `${charged}`) throw new Error(MISMATCH);
    if (content.voucher) requireVoucher(terms, content.voucher);
    const transaction = await this.close(channelId);
    return this.settled({ transaction, payer: terms.payer, amount: `${terms.deposit - charged}` });
  }

  /** Closes a channel unasked: the receiver is paid what was accepted, and the rest goes back. Returns the transaction. */
  async close(channelId: string): Promise<string> {
    const stored = required(this.channels.get(channelId));
    stored.isClosed = true;
    return this.landed(new Transaction().add(...sealChannel(this.key.publicKey, channelId, stored)));
  }

  private async landed(transaction: Transaction): Promise<string> {
    return this.confirmed(await this.connection.sendTransaction(transaction, [this.key]));
  }

  /** Asks again and again: a WebSocket would look for a chain that a test has ended. */
  private async confirmed(signature: string): Promise<string> {
    await eventually(async () =>
      expect((await this.connection.getSignatureStatus(signature)).value?.confirmationStatus).toMatch(/confirmed|finalized/),
    );
    return signature;
  }

  private settled(members: object): Answer {
    const response = { success: true, network: this.network, ...members };
    return { status: 200, headers: { 'PAYMENT-RESPONSE': Buffer.from(JSON.stringify(response)).toString('base64') }, body: 'served' };
  }

  private demand(error: string, state: object = {}): Answer {
    const offer = this.offer();
    const accepts = [{ ...offer, extra: { ...offer.extra, ...state } }];
    const required = { x402Version: 2, error, resource: { url: this.url }, accepts };
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
        ...(this.operator && { voucherSigner: 'server', operator: this.operator }),
        ...this.extra,
      },
    };
  }
}
