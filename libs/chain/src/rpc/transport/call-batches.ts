/** JSON-RPC calls to one node without web3.js. Calls of one method that are made at the same time are one request. */
import { type FetchFn, SolanaJSONRPCError } from '@solana/web3.js';
import { Batcher, type Outcomes } from '#batcher';

/** Calls of one request: a node may execute them one after the other. */
const MOST_CALLS = 16;
/** Requests of one method under way at once, while calls wait. */
const WIDTH = 2;

/** How long a node that did not answer a batch is asked single calls only. */
const SINGLE_MS = 60_000;

interface Answer {
  id?: unknown;
  error?: { code: number; message: string };
  result?: unknown;
}

export class CallBatches {
  private readonly batchers = new Map<string, Batcher<unknown[], unknown>>();
  /** When a batch is tried again, by `performance.now()`: some providers answer single calls only. */
  private singleUntil = 0;

  constructor(
    private readonly url: string,
    private readonly fetch: FetchFn,
  ) {}

  /** The result of a call. @throws SolanaJSONRPCError, TransportError */
  ask(method: string, params: unknown[]): Promise<unknown> {
    const batcher =
      this.batchers.get(method) ?? new Batcher((calls) => this.askTogether(method, calls), { most: MOST_CALLS, width: WIDTH });
    this.batchers.set(method, batcher);
    return batcher.add(params);
  }

  private async askTogether(method: string, calls: unknown[][]): Promise<Outcomes<unknown>> {
    const [only] = calls;
    if (calls.length === 1 && only) return [await this.askAlone(method, only)];
    const answers =
      performance.now() >= this.singleUntil ? answersIn(await this.post(calls.map((params, id) => bodyOf(method, params, id)))) : undefined;
    if (answers) return calls.map((_, id) => resultOf(answers.get(String(id)), method));
    if (performance.now() >= this.singleUntil) this.singleUntil = performance.now() + SINGLE_MS;
    return calls.map((params) => this.askAlone(method, params));
  }

  private async askAlone(method: string, params: unknown[]): Promise<unknown> {
    const { ok, status, text } = await this.post(bodyOf(method, params, 1));
    if (!ok) throw new Error(`the node answered ${status}`);
    return resultOf(JSON.parse(text) as Answer, method);
  }

  private async post(body: object): Promise<{ ok: boolean; status: number; text: string }> {
    const answer = await this.fetch(this.url, { body: JSON.stringify(body) });
    return { ok: answer.ok, status: answer.status, text: await answer.text() };
  }
}

const bodyOf = (method: string, params: unknown[], id: number): object => ({ jsonrpc: '2.0', id, method, params });

/** The answers of a batch by their ids; undefined if the node does not answer batches. */
function answersIn({ ok, text }: { ok: boolean; text: string }): Map<string, Answer> | undefined {
  if (!ok || !text.startsWith('[')) return undefined;
  return new Map((JSON.parse(text) as Answer[]).map((answer) => [String(answer.id), answer]));
}

/** A promise, so that a call that failed fails alone. */
async function resultOf(answer: Answer | undefined, method: string): Promise<unknown> {
  if (!answer) throw new Error('the node left out an answer');
  if (answer.error) throw new SolanaJSONRPCError(answer.error, method);
  return answer.result;
}
