/** JSON-RPC calls and answers as test proxies see them. */
export interface RpcCall {
  method: string;
  params: unknown[];
}

/** What a node answers. */
export interface RpcAnswer {
  result?: unknown;
  error?: unknown;
}
