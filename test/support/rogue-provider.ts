import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { isSignedBy } from '#chain';
import {
  parseCredential,
  parseSignedVoucher,
  serialiseChallenge,
  serialiseReceipt,
  voucherBytes,
  type Credential,
  type SignedVoucher,
} from '#mpp';
import { sharedService, type Sandbox } from './service';
import { listening } from './listening';

type Members = Record<string, unknown>;
type ChallengeParams = Parameters<typeof serialiseChallenge>[0];

/** Members of a challenge in addition to, or instead of, those of a valid one. An undefined member is left out. */
export interface Terms extends Omit<Partial<ChallengeParams>, 'request'> {
  price?: bigint;
  payee?: string;
  /** A text replaces the whole request on the wire. */
  request?: Members | string;
  methodDetails?: Members;
}

/** A request that a provider got. */
export interface Call {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Of this request, from 1. */
  count: number;
  authorization: string | undefined;
}

export interface Paid extends Call {
  /** Of those that paid, from 1. */
  payment: number;
  /** Whether the same credential came before. */
  isReplay: boolean;
  credential: Credential;
  /** The transaction of a charge, base64. */
  transaction: string | undefined;
  voucher: SignedVoucher | undefined;
}

/** A provider's behaviour towards a paid and towards an unpaid request. */
export interface Behaviour {
  unpaid: (response: ServerResponse, call: Call) => void;
  paid: (response: ServerResponse, paid: Paid) => void;
  /** Runs before a credential is read or recorded; returns true if that was all. */
  arriving?: (response: ServerResponse, call: Call) => boolean;
}

const DRIP_MS = 200;
const CHUNK = Buffer.alloc(65_536, 'x');

export const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();

/** A provider on this machine that behaves as a test sets it, and records what it was sent. */
export class RogueProvider {
  url = '';
  price = 100n;
  calls: Call[] = [];
  payments: Paid[] = [];
  behaviour: Behaviour = this.sells();
  private readonly timers = new Set<NodeJS.Timeout>();
  // A client that disconnects during a request, or sends no valid credential, is not answered.
  private readonly server = createServer((request, response) => void this.answer(request, response).catch(() => response.destroy()));

  constructor(
    readonly payee: string,
    /** The chain that it is paid on. Default: that of the shared service. */
    private readonly chain: () => Pick<Sandbox, 'usdc_mint' | 'program_id'> = () => sharedService().sandbox,
  ) {}

  async start(): Promise<void> {
    this.url = await listening(this.server);
  }

  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.server.closeAllConnections();
    this.server.close();
  }

  /** Clears what was recorded, and sets the behaviour. */
  behave(behaviour: Partial<Behaviour> = {}): void {
    [this.calls, this.payments] = [[], []];
    this.behaviour = { ...this.sells(), ...behaviour };
  }

  /** The cumulative amounts of all valid vouchers, in the order of arrival. */
  get cumulatives(): bigint[] {
    return this.payments.flatMap(({ voucher }) => (voucher && isSigned(voucher) ? [voucher.cumulativeAmount] : []));
  }

  /** Distinct credentials: a payment sent again counts as one. */
  get differentCredentials(): number {
    return new Set(this.payments.map(({ authorization }) => authorization)).size;
  }

  // ---- challenges, as values of WWW-Authenticate

  /** Asks for a voucher. */
  session(terms: Terms = {}): string {
    return this.challenge('session', { channelProgram: this.chain().program_id }, terms);
  }

  /** Asks for a transaction. */
  charge(terms: Terms = {}): string {
    return this.challenge('charge', { decimals: 6 }, terms);
  }

  private challenge(
    intent: string,
    details: Members,
    { price = this.price, payee = this.payee, request = {}, methodDetails = {}, ...params }: Terms,
  ): string {
    const honest = {
      amount: price.toString(),
      currency: this.chain().usdc_mint,
      recipient: payee,
      methodDetails: { network: 'localnet', ...details, ...methodDetails },
    };
    const whole = typeof request === 'string' ? request : { ...honest, ...request };
    const own = { id: `challenge-${this.calls.length}`, realm: 'rogue', method: 'solana', expires: inSeconds(300) };
    return serialiseChallenge({ ...own, intent, ...params, request: whole });
  }

  // ---- behaviours

  /** Honest: a price, and an answer with a receipt. */
  sells(): Behaviour {
    return { unpaid: this.asks(() => this.session()), paid: (response, paid) => this.serve(response, paid) };
  }

  /** 402 with these challenges, each in its own header. */
  asks(...challenges: ((call: Call) => string)[]): Behaviour['unpaid'] {
    const asked = (call: Call): string[] => challenges.map((challenge) => challenge(call));
    return (response, call) => this.demand(response, asked(call));
  }

  /** 402 to every request, paid or not. */
  alwaysAnswers402(): Partial<Behaviour> {
    return { paid: (response) => this.demand(response, [this.session()]) };
  }

  /** Rejects each voucher with a problem of mppx, such as `session/invalid-signature`. */
  rejectsVouchers(problem: string, status = 402): Partial<Behaviour> {
    return { paid: (response) => this.demand(response, [this.session()], problem, status) };
  }

  /** Never answers paid requests. */
  hangs(): Partial<Behaviour> {
    return { paid: () => undefined };
  }

  /** Takes the payment and answers with this, without a receipt. */
  answers(status: number, headers: Record<string, string> = {}): Partial<Behaviour> {
    return { paid: (response) => void response.writeHead(status, headers).end('{}') };
  }

  /** Cuts the connection when a paid request arrives, and records nothing. */
  cutsBeforeReading(): Partial<Behaviour> {
    return { arriving: (response, { authorization }) => authorization !== undefined && response.destroy() !== undefined };
  }

  /** Cuts the connection after it has the credential, each time. */
  cutsAfterReading(): Partial<Behaviour> {
    return { paid: (response) => void response.destroy() };
  }

  /** Takes the first credential and drops its answer; serves it when it comes again. */
  dropsFirstAnswer(): Partial<Behaviour> {
    return { paid: (response, paid) => (paid.isReplay || paid.payment > 1 ? this.serve(response, paid) : void response.destroy()) };
  }

  servesWithoutReceipt(): Partial<Behaviour> {
    return this.answers(200);
  }

  servesWithMalformedReceipt(): Partial<Behaviour> {
    return this.answers(200, { 'Payment-Receipt': 'no receipt' });
  }

  /** A receipt, and an endless body. */
  servesEndlessBody(): Partial<Behaviour> {
    return {
      paid: (response, paid) => {
        response.writeHead(200, { 'Payment-Receipt': this.receipt(paid) });
        const more = (): void => {
          while (!response.destroyed && response.write(CHUNK));
          if (!response.destroyed) response.once('drain', more);
        };
        more();
      },
    };
  }

  /** A receipt, and a body of one letter at a time. */
  servesSlowly(): Partial<Behaviour> {
    return {
      paid: (response, paid) => {
        response.writeHead(200, { 'Payment-Receipt': this.receipt(paid) });
        const timer = setInterval(() => response.write('x'), DRIP_MS);
        this.timers.add(timer);
        response.once('close', () => clearInterval(timer));
      },
    };
  }

  /** Redirects paid requests. */
  redirects(to: string): Partial<Behaviour> {
    return this.answers(307, { Location: to });
  }

  /** Redirects unpaid requests. */
  redirectsUnpaid(to: string): Partial<Behaviour> {
    return { unpaid: (response) => void response.writeHead(307, { Location: to }).end() };
  }

  /** Another payee, or another price, from the second challenge on. */
  changesItsChallenge(terms: Terms): Partial<Behaviour> {
    let demands = 0;
    return { unpaid: this.asks(() => this.session(demands++ === 0 ? {} : terms)) };
  }

  // ---- pieces of answers

  serve(response: ServerResponse, paid: Paid): void {
    response
      .writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'private', 'Payment-Receipt': this.receipt(paid) })
      .end(JSON.stringify({ served: paid.path }));
  }

  demand(response: ServerResponse, challenges: string[], problem = 'payment-required', status = 402): void {
    response.setHeader('WWW-Authenticate', challenges);
    response
      .writeHead(status, { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' })
      .end(JSON.stringify({ type: `https://paymentauth.org/problems/${problem}`, status }));
  }

  receipt({ credential: { challenge }, voucher }: Paid): string {
    const { method, intent, id: challengeId } = challenge;
    const cumulative = voucher?.cumulativeAmount.toString();
    return serialiseReceipt({
      status: 'success',
      method,
      intent,
      timestamp: new Date().toISOString(),
      reference: voucher?.channelId ?? 'transaction',
      challengeId,
      members: { acceptedCumulative: cumulative, spent: cumulative },
    });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const { authorization } = headers;
    const call: Call = { method, path, headers, body: '', count: this.calls.length + 1, authorization };
    this.calls.push(call);
    if (this.behaviour.arriving?.(response, call)) return;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    call.body = Buffer.concat(chunks).toString();
    if (authorization === undefined || !/^Payment /i.test(authorization)) return this.behaviour.unpaid(response, call);
    const paid = this.read(call, authorization);
    this.payments.push(paid);
    this.behaviour.paid(response, paid);
  }

  private read(call: Call, authorization: string): Paid {
    const credential = parseCredential(authorization);
    const { voucher, transaction } = credential.payload;
    return {
      ...call,
      payment: this.payments.length + 1,
      isReplay: this.payments.some((earlier) => earlier.authorization === authorization),
      credential,
      transaction: typeof transaction === 'string' ? transaction : undefined,
      voucher: voucher === undefined ? undefined : parseSignedVoucher(voucher),
    };
  }
}

/** Starts a provider that is paid to this owner, by default on the chain of the shared service. */
export async function startRogueProvider(...terms: ConstructorParameters<typeof RogueProvider>): Promise<RogueProvider> {
  const provider = new RogueProvider(...terms);
  await provider.start();
  return provider;
}

const isSigned = (voucher: SignedVoucher): boolean => isSignedBy(voucher.signer, voucherBytes(voucher), voucher.signature);
