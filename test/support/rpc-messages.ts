/** JSON-RPC calls and responses as test proxies see them. */
export interface RpcCall {
  method: string;
  params: unknown[];
}

/** A node's response. */
export interface RpcAnswer {
  result?: unknown;
  error?: unknown;
}

/**
 * The fate of one call: forwarded; never answered; the connection cut before it is forwarded, or after; answered as it was earlier;
 * or answered with another text or result instead of the chain's.
 */
export type Fate =
  | 'pass'
  | 'stale'
  | 'hang'
  | 'break'
  | 'lose'
  | { text: string; status?: number }
  | { result: unknown }
  | { error: { code: number; message: string } };
