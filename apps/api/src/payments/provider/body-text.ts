/** The bodies of providers' requests and answers as text and JSON. */
import { isUtf8 } from 'node:buffer';
import type { Json } from '../../lists/references';

/** `text/…`, and JSON in its own name or as the suffix of another. */
const TEXT_TYPE = /^(text\/[\w.+-]+|application\/([\w.+-]+\+)?json)$/;

/** A body as text, if its content type is a text or JSON and its bytes are valid UTF-8; else null. */
export function textOf(body: Buffer, contentType: string | undefined): string | null {
  const [type = ''] = (contentType ?? '').split(';');
  return TEXT_TYPE.test(type.trim().toLowerCase()) && isUtf8(body) ? body.toString() : null;
}

/** The bytes of a request's body in base64, and the headers that go with it. A JSON value is JSON unless the caller names another type. */
export function sentBody(
  body: Json | undefined,
  headers: Record<string, string>,
): { body: string | null; headers: Record<string, string> } {
  if (body === undefined) return { body: null, headers };
  if (typeof body === 'string') return { body: base64(body), headers };
  const hasType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return { body: base64(JSON.stringify(body)), headers: hasType ? headers : { ...headers, 'Content-Type': 'application/json' } };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
