/** URLs that a caller names and this service calls: which of them it may, judged by their text and by each address behind their names. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Longest URL, in characters. */
export const MAX_URL = 2048;

/** Below 1024 only these: what listens on the others is no web service, and a POST to it is an attack on somebody. */
const WEB_PORTS = new Set([443]);
const FIRST_USER_PORT = 1024;
/** Ports above 1023 that the fetch standard blocks, for the protocols that live there would take an HTTP request for something else. */
const FOREIGN_PORTS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);
/** Names that mean this machine or this network, whatever a resolver says of them. */
const INSIDE_NAMES = /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|home\.arpa)$/;
/** What the URL standard silently drops or rewrites: a text with it is not the URL that it becomes. */
const REWRITTEN = /[\u0000-\u0020\u007f\\]/;
/** The part of IPv6 from which the world's addresses are given. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

export interface OutsideRules {
  /** Whether http and this machine's own network are allowed too: in the sandbox. */
  allowPrivate: boolean;
}

/** Why a URL may not be called, as "must …", or undefined. A name is judged again, by its addresses, when it is called. */
export function outsideUrlDefect(text: string, { allowPrivate }: OutsideRules): string | undefined {
  if (text.length > MAX_URL) return `must have at most ${MAX_URL} characters`;
  if (REWRITTEN.test(text) || !URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    return `must begin with https://${allowPrivate ? ' or http://' : ''}`;
  if (url.username !== '' || url.password !== '') return 'must not carry a user name or a password';
  if (allowPrivate) return undefined;
  if (!isWebPort(url.port)) return 'must name port 443, or another from 1024 on that serves the web';
  return isOutsideHost(url.hostname) ? undefined : 'must lead outside: private and reserved addresses are refused';
}

/** The same for a provider, which gets credentials: over https, or http on this machine where that is allowed. */
export function providerUrlDefect(text: string, rules: OutsideRules): string | undefined {
  const defect = outsideUrlDefect(text, rules);
  if (defect !== undefined) return defect;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || isLoopback(hostname) ? undefined : 'must begin with https://, or lead to this machine';
}

function isLoopback(hostname: string): boolean {
  const address = addressIn(hostname);
  return address === undefined ? hostname === 'localhost' : ipaddr.parse(address).range() === 'loopback';
}

/** An IP address in brackets or without, or undefined for a name. */
export function addressIn(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) === 0 ? undefined : bare;
}

/** Whether an address is one of the open internet. Every range with a purpose of its own is not: also those in which IPv4 hides inside IPv6. */
export function isOutsideAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST);
}

function isOutsideHost(hostname: string): boolean {
  const address = addressIn(hostname);
  if (address !== undefined) return isOutsideAddress(address);
  const name = hostname.replace(/\.$/, '');
  return name.includes('.') && !INSIDE_NAMES.test(name);
}

function isWebPort(port: string): boolean {
  const number = port === '' ? 443 : Number(port);
  return WEB_PORTS.has(number) || (number >= FIRST_USER_PORT && !FOREIGN_PORTS.has(number));
}
