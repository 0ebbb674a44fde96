/** Results of the search box without the service's search: places, actions, and the accounts, keys, webhooks, providers and fleets of the page. */

/** A line of the results: its view, its name, and what else it is found by. */
export interface LocalHit {
  to: string;
  name: string;
  more: string;
}

/** Hits under a heading. */
export interface LocalGroup {
  title: string;
  hits: LocalHit[];
}

/** The most lines of one group. */
const MAX_HITS = 6;

/**
 * The hits whose name or further text has all words of `text`, also in the middle of a word: first those whose name begins with the text. A
 * group without any is left out.
 */
export function localHits(text: string, groups: LocalGroup[]): LocalGroup[] {
  const wanted = text.toLowerCase();
  const words = wanted.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return [];
  const begins = ({ name }: LocalHit): boolean => name.toLowerCase().startsWith(wanted);
  return groups
    .map(({ title, hits }) => {
      const found = hits.filter(({ name, more }) => words.every((word) => `${name} ${more}`.toLowerCase().includes(word)));
      return { title, hits: [...found.filter(begins), ...found.filter((hit) => !begins(hit))].slice(0, MAX_HITS) };
    })
    .filter(({ hits }) => hits.length > 0);
}
