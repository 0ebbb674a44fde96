/** The rules for URLs that callers name: by their text, and by the addresses that their names resolve to. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Longest URL, in characters. */
export const MAX_URL = 2048;

/** The ports below 1024 that may be called. On the others no web service listens, and a POST could be an attack (SSRF). */
const WEB_PORTS = new Set([443]);
const FIRST_USER_PORT = 1024;
/** Ports above 1023 that the fetch standard blocks, because their protocols may misread an HTTP request. */
const BLOCKED_PORTS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);
/** Names of this machine or this network, whatever a resolver answers for them. */
const PRIVATE_NAMES = /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|home\.arpa)$/;
/** Characters that the URL standard silently drops or rewrites, so that the text would not be the URL that is called. */
const REWRITTEN = /[\u0000-\u0020\u007f\\]/;
/** The part of IPv6 from which public addresses are assigned. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/** Addresses in public ranges that lead inside: Azure's virtual host answers its machines there. */
const PRIVATE_ADDRESSES = new Set(['168.63.129.16']);
/** The third quarter of an ISATAP interface identifier (RFC 5214, 6.1), which embeds an IPv4 address. */
const ISATAP = 0x5efe;
const ISATAP_PREFIXES = [0, 0x200];

export interface EgressRules {
  /** Whether http and private addresses are allowed too, as in the sandbox. */
  allowPrivate: boolean;
}

/** Why a URL may not be called, as "must …", or undefined. The addresses of its name are checked when it is called. */
export function egressUrlDefect(text: string, { allowPrivate }: EgressRules): string | undefined {
  if (text.length > MAX_URL) return `must have at most ${MAX_URL} characters`;
  if (REWRITTEN.test(text) || !URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    return `must begin with https://${allowPrivate ? ' or http://' : ''}`;
  if (url.username !== '' || url.password !== '') return 'must not carry a user name or a password';
  if (allowPrivate) return undefined;
  if (!isWebPort(url.port)) return 'must name port 443, or another from 1024 on that serves the web';
  return isPublicHost(url.hostname) ? undefined : 'must lead outside: private and reserved addresses are refused';
}

/**
 * Why a provider's URL may not be called, or undefined. A provider gets credentials, so http is allowed on this machine only, in the
 * sandbox.
 */
export function providerUrlDefect(text: string, rules: EgressRules): string | undefined {
  const defect = egressUrlDefect(text, rules);
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

/** Whether an address is public. No address of a special-purpose range is, nor one of a range that embeds IPv4 in IPv6. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast' || PRIVATE_ADDRESSES.has(parsed.toString())) return false;
  return !(parsed instanceof ipaddr.IPv6) || (parsed.match(GLOBAL_UNICAST) && !isIsatap(parsed));
}

function isPublicHost(hostname: string): boolean {
  const address = addressIn(hostname);
  if (address !== undefined) return isPublicAddress(address);
  const name = hostname.replace(/\.$/, '');
  return name.includes('.') && !PRIVATE_NAMES.test(name);
}

function isWebPort(port: string): boolean {
  const number = port === '' ? 443 : Number(port);
  return WEB_PORTS.has(number) || (number >= FIRST_USER_PORT && !BLOCKED_PORTS.has(number));
}

function isIsatap({ parts: [, , , , prefix = 0, identifier] }: ipaddr.IPv6): boolean {
  return identifier === ISATAP && ISATAP_PREFIXES.includes(prefix);
}
