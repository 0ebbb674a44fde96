/** How addresses of the web are shown. */

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
