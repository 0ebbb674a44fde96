/** A node as a setting names it: `https://…`, `name=https://…`, `name=https://…;rps=50`. */
export interface NodeAddress {
  url: string;
  /** Its name in metrics; default its host, because a path or a query may hold a key. */
  name: string;
  /** The most calls a second that it gets. */
  rps: number | undefined;
}

const FORM = /^(?:([A-Za-z0-9_-]{1,32})=)?(https?:\/\/[^\s;]+)(?:;rps=([1-9]\d{0,5}))?$/;

/** Reads the address of a node. Undefined for anything else. */
export function nodeAddressIn(text: string): NodeAddress | undefined {
  const [, name, url, rps] = FORM.exec(text) ?? [];
  if (url === undefined || !URL.canParse(url)) return undefined;
  return { url, name: name ?? new URL(url).host, rps: rps === undefined ? undefined : Number(rps) };
}

/** @throws Error for what is not an address of a node */
export function nodeAddress(text: string): NodeAddress {
  const address = nodeAddressIn(text);
  if (!address) throw new Error('a node is named as https://…, name=https://… or name=https://…;rps=50');
  return address;
}

/** The calls that a node may get now: as many as in a second at first, and then as many a second. */
export class TokenBucket {
  private tokens: number;
  private filledAt = performance.now();

  constructor(private readonly perSecond: number) {
    this.tokens = perSecond;
  }

  /** Takes tokens for calls that are made now, and returns 0; else how long to wait, in milliseconds. More calls than it holds go alone. */
  take(count: number): number {
    const now = performance.now();
    this.tokens = Math.min(this.perSecond, this.tokens + ((now - this.filledAt) / 1_000) * this.perSecond);
    this.filledAt = now;
    const needed = Math.min(count, this.perSecond);
    if (this.tokens < needed) return Math.ceil(((needed - this.tokens) / this.perSecond) * 1_000);
    this.tokens -= count;
    return 0;
  }
}
