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
