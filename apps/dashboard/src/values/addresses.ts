/** Short forms of URLs. */

/** The host of an origin or URL: `https://api.example.com/x` as `api.example.com`. */
export function hostOf(address: string): string {
  return address.replace(/^https?:\/\//, '').replace(/[/?#].*$/, '');
}

/** A URL without its scheme, query and fragment: `api.example.com/v1/search`. A root path is left out. */
export function hostAndPath(address: string): string {
  return address
    .replace(/^https?:\/\//, '')
    .replace(/[?#].*$/, '')
    .replace(/\/$/, '');
}

/** The parts of a URL, which may be broken between them: the origin, and what each slash ends. */
export function partsOfUrl(url: string): string[] {
  return url.match(/^[a-z]+:\/\/[^/]*\/?|[^/]*\/|[^/]+/g) ?? [];
}

/** An address, shortened; a name as it is. */
export function shortened(text: string): string {
  return /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text) ? `${text.slice(0, 6)}…${text.slice(-4)}` : text;
}
