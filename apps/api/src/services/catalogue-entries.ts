/** The entries of a catalogue: x402 Bazaar's discovery format, or a static list. Pure. */
import { randomUUID } from 'node:crypto';
import { USDC_DECIMALS, type ChainIdentity } from '#chain';
import { serialiseChallenge } from '#mpp';
import { isUsdcAmount, parseUsdc } from '../money/usdc';
import type { Demand } from '../payments';

const MAX_URL = 2_048;
const MAX_TEXT = 500;
/** Longer entries are passed over: offers of a service take a few hundred bytes. */
const MAX_ENTRY_CHARACTERS = 16_384;
/** How long a price of a static list stands, as its challenge says it. */
const PRICE_LIFE_MS = 60 * 60_000;

/** A service that a catalogue lists. */
export interface CatalogueEntry {
  url: string;
  description: string | null;
  /** The 402 that it would answer with. */
  demand: Demand;
}

/** The entries of one page, and how many the whole catalogue has, if it says so. */
export interface CataloguePage {
  entries: unknown[];
  total: number | null;
}

type Fields = Record<string, unknown>;

/** Reads a page: a list, or an object with `items` or `resources`. @throws SyntaxError for what is neither */
export function readPage(text: string): CataloguePage {
  const page: unknown = JSON.parse(text);
  if (Array.isArray(page)) return { entries: page, total: null };
  const { items, resources, pagination } = isFields(page) ? page : {};
  const entries = [items, resources].find((each) => Array.isArray(each));
  if (!entries) throw new SyntaxError('it has no list of services');
  const total = isFields(pagination) && Number.isSafeInteger(pagination.total) ? Number(pagination.total) : null;
  return { entries, total };
}

/**
 * An entry of a page: x402 with `accepts`, or MPP with a price: `amount_usdc`, `payee` and `category`. Undefined for one that cannot be read
 * or is too long.
 */
export function readEntry(entry: unknown, identity: ChainIdentity, now: Date): CatalogueEntry | undefined {
  if (!isFields(entry) || JSON.stringify(entry).length > MAX_ENTRY_CHARACTERS) return undefined;
  const url = entry.resource ?? entry.url;
  if (typeof url !== 'string' || url.length > MAX_URL || !URL.canParse(url)) return undefined;
  const demand = Array.isArray(entry.accepts) ? x402Demand(entry, url) : mppDemand(entry, url, identity, now);
  return demand && { url, description: descriptionOf(entry), demand };
}

function x402Demand({ x402Version = 2, accepts }: Fields, url: string): Demand {
  return { challenges: [], x402: { object: { x402Version, accepts, resource: { url } } } };
}

function mppDemand(
  { amount_usdc: amount, payee, category }: Fields,
  url: string,
  { usdcMint, cluster }: ChainIdentity,
  now: Date,
): Demand | undefined {
  if (!isUsdcAmount(amount) || typeof payee !== 'string') return undefined;
  const challenge = serialiseChallenge({
    id: randomUUID(),
    realm: new URL(url).host,
    method: 'solana',
    intent: 'charge',
    expires: new Date(now.getTime() + PRICE_LIFE_MS).toISOString(),
    ...(typeof category === 'string' && { category }),
    request: {
      amount: parseUsdc(amount).toString(),
      currency: usdcMint,
      recipient: payee,
      methodDetails: { network: cluster, decimals: USDC_DECIMALS },
    },
  });
  return { challenges: [challenge], x402: null };
}

/** Of the entry, of its metadata, or of its first offer, as the versions of x402 have it. */
function descriptionOf({ description, metadata, accepts }: Fields): string | null {
  const [first] = Array.isArray(accepts) ? (accepts as unknown[]) : [];
  const texts = [description, isFields(metadata) ? metadata.description : null, isFields(first) ? first.description : null];
  const text = texts.find((each) => typeof each === 'string' && each.trim() !== '');
  return typeof text === 'string' ? text.toWellFormed().slice(0, MAX_TEXT) : null;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
