/** The failures of calls to URLs that callers name. */

/** There was no response. The message is a sentence without its full stop, and reveals nothing of this network. */
export class EgressError extends Error {}

/** The sentences of the codes of Node and undici. */
const SENTENCES: Partial<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was cut before an answer came',
  EPIPE: 'The connection was cut before an answer came',
  UND_ERR_SOCKET: 'The connection was cut before an answer came',
  ETIMEDOUT: 'The connection was not answered',
  UND_ERR_CONNECT_TIMEOUT: 'The connection was not answered',
  EHOSTUNREACH: 'The address cannot be reached',
  ENETUNREACH: 'The address cannot be reached',
  UND_ERR_HEADERS_OVERFLOW: 'The answer has too many headers',
};

/** The error of an exchange that failed by an error of Node or undici. */
export function failureOf(error: unknown): EgressError {
  return new EgressError(describe(error));
}

function describe(error: unknown): string {
  const { name, code, errors } = error as { name?: unknown; code?: unknown; errors?: unknown };
  // No address could be connected to: each has its own error.
  if (Array.isArray(errors) && errors.length > 0) return describe(errors[0]);
  if (name === 'HTTPParserError') return 'The answer is not HTTP';
  if (typeof code !== 'string') return 'The exchange failed';
  // Errors of certificates have CERT, SELF_SIGNED, ERR_TLS or ERR_SSL in their code.
  return SENTENCES[code] ?? (/CERT|SIGNED|TLS|SSL|EPROTO/.test(code) ? `TLS failed: ${code}` : `The exchange failed: ${code}`);
}
