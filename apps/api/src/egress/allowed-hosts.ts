/** Lists of hosts that an account or a key may pay: hosts with or without a port, and `*.` before a domain for all below it. */
import { Check, type Defect, itself } from '../http/validation/checks';

const MAX_HOSTS = 100;
const MAX_HOST = 261;
const ENTRY = /^(\*\.)?([^/?#@\\\s%*]+)$/;
const DEFAULT_PORTS: Partial<Record<string, string>> = { 'https:': '443', 'http:': '80' };

interface Entry {
  isWildcard: boolean;
  hostname: string;
  /** Empty for every port. */
  port: string;
}

const SCHEMA = { type: 'array', maxItems: MAX_HOSTS, uniqueItems: true, items: { type: 'string', maxLength: MAX_HOST } };

/** A list of 0 to 100 hosts, each once. */
export const IsHostList = (): PropertyDecorator => Check(listDefects, SCHEMA);

/** A list of hosts, or null. */
export const IsHostListOrNull = (): PropertyDecorator =>
  Check((value) => (value === null ? [] : listDefects(value)), { ...SCHEMA, type: ['array', 'null'] });

function listDefects(value: unknown): Defect[] {
  if (!Array.isArray(value)) return [itself('must be a list')];
  if (value.length > MAX_HOSTS) return [itself(`must have 0 to ${MAX_HOSTS} entries`)];
  const seen = new Set<string>();
  return value.flatMap((given: unknown, index) => {
    const entry = typeof given === 'string' ? parse(given) : undefined;
    if (!entry) return [{ at: `[${index}]`, message: 'must be a host, such as api.example.com, api.example.com:8443 or *.example.com' }];
    const isRepeated = seen.has(written(entry));
    seen.add(written(entry));
    return isRepeated ? [{ at: `[${index}]`, message: 'is listed twice' }] : [];
  });
}

/** A checked list as it is stored and shown: in the form that hosts have in URLs, in lower case. */
export function normalizedHosts(hosts: readonly string[]): string[] {
  return hosts.flatMap((host) => parse(host) ?? []).map(written);
}

/** Whether a list allows the host of a URL. Null allows all. */
export function allowsHost(hosts: readonly string[] | null, url: string): boolean {
  if (hosts === null) return true;
  const { hostname, port, protocol } = new URL(url);
  const actualPort = port === '' ? DEFAULT_PORTS[protocol] : port;
  return hosts
    .flatMap((host) => parse(host) ?? [])
    .some((entry) => {
      const isHost = entry.isWildcard ? hostname.endsWith(`.${entry.hostname}`) : hostname === entry.hostname;
      return isHost && (entry.port === '' || entry.port === actualPort);
    });
}

/** Undefined for a text that is not an entry. A URL drops the port 443, so that it is read from the text. */
function parse(text: string): Entry | undefined {
  const [, wildcard, host = ''] = text.length <= MAX_HOST ? (ENTRY.exec(text) ?? []) : [];
  const url = `https://${host}/`;
  if (host === '' || !URL.canParse(url)) return undefined;
  const port = /(?<=.):(\d{1,5})$/.exec(host)?.[1];
  return { isWildcard: wildcard !== undefined, hostname: new URL(url).hostname, port: port === undefined ? '' : String(Number(port)) };
}

function written({ isWildcard, hostname, port }: Entry): string {
  return `${isWildcard ? '*.' : ''}${hostname}${port === '' ? '' : `:${port}`}`;
}
