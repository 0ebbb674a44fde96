/** Errors of Solana's JSON-RPC, with agave's codes and messages. */

export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

export function parseError(): RpcError {
  return new RpcError(-32700, 'Parse error');
}

export function invalidRequest(message = 'Invalid request'): RpcError {
  return new RpcError(-32600, message);
}

export function methodNotFound(): RpcError {
  return new RpcError(-32601, 'Method not found');
}

export function invalidParams(message: string): RpcError {
  return new RpcError(-32602, message);
}

export function internalError(message: string): RpcError {
  return new RpcError(-32603, message);
}

/** The transaction would fail, or cannot be executed. `data` is a simulation's result. */
export function preflightFailure(reason: string, data: unknown): RpcError {
  return new RpcError(-32002, `Transaction simulation failed: ${reason}`, data);
}

export function blockNotAvailable(slot: number): RpcError {
  return new RpcError(-32004, `Block not available for slot ${slot}`);
}

export function unsupportedVersion(version: number): RpcError {
  return new RpcError(
    -32015,
    `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the ` +
      `following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
  );
}

export function minContextSlotNotReached(contextSlot: number): RpcError {
  return new RpcError(-32016, 'Minimum context slot has not been reached', { contextSlot });
}
