/** Links from the first use of a term in a page to the glossary. They are made at the build, of the tables of docs/glossary.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

type Core = MarkdownRenderer['core']['ruler'];
type State = Parameters<Parameters<Core['push']>[1]>[0];
type Token = State['tokens'][number];

/** A term of the glossary: its words, where it stands, and its meaning. */
interface Term {
  words: string;
  anchor: string;
  meaning: string;
}

const GLOSSARY = 'glossary.md';
/** Words of the glossary that the pages also use in their everyday sense. A link there would mislead. */
const ALSO_EVERYDAY = new Set(
  'approve, attempt, authorize, confirm, finalize, issue, job, lock, queue, recovery, replay, settled, sign, simulate, submit'.split(', '),
);
/** A session is one of payments beside these words. Elsewhere it may be that of a browser, of HTTP or of PostgreSQL. */
const BESIDE_SESSIONS = /purse|\bcaps?\b|voucher|transfer|charge|payment|amount/i;
/** Meanings that say nothing beyond the word. */
const NO_MEANING = /^(the usual|as in )/;

/** The terms of the glossary, the longest first: "nonce window" before "nonce". */
function termsOf(glossary: string): Term[] {
  const rows = glossary.split('\n').flatMap((line) => {
    const [, names, meaning] = /^\| (?!Term |---)([^|]+) \| ([^|]+) \|$/.exec(line) ?? [];
    return names === undefined || meaning === undefined ? [] : [{ names, meaning }];
  });
  return rows
    .filter(({ meaning }) => !NO_MEANING.test(meaning))
    .flatMap(({ names, meaning }) => wordsOf(names).map((words) => ({ words, anchor: anchorOf(names), meaning: plain(meaning) })))
    .filter(({ words }) => !ALSO_EVERYDAY.has(words))
    .sort((one, other) => other.words.length - one.words.length);
}

function wordsOf(names: string): string[] {
  return names.replace(/ \([^)]*\)/g, '').split(', ');
}

/** The id of a row of the glossary. */
function anchorOf(names: string): string {
  return `term-${(wordsOf(names)[0] ?? '').toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
}

function plain(markdown: string): string {
  return markdown.replace(/`/g, '');
}

/** The term as a word of a text, with a capital at the start of a sentence, or in the plural. */
function patternOf({ words }: Term): RegExp {
  const [first = '', rest] = [words[0], words.slice(1)];
  const start = `[${first.toLowerCase()}${first.toUpperCase()}]`;
  const stem = rest.endsWith('y') ? `${rest.slice(0, -1)}(?:y|ies)` : `${rest}(?:e?s)?`;
  return new RegExp(`(?<![\\w-])${start}${stem}(?![\\w-])`);
}

/** Gives the rows of the glossary an id, and links the terms of the other pages to them. */
export function linkTerms(markdown: MarkdownRenderer, docs: string): void {
  const terms = termsOf(readFileSync(join(docs, GLOSSARY), 'utf8')).map((term) => ({ ...term, pattern: patternOf(term) }));
  markdown.core.ruler.push('terms_of_the_glossary', (state: State) => {
    const { relativePath } = state.env as { relativePath?: string };
    if (relativePath === GLOSSARY) nameRows(state.tokens);
    // The reference has hundreds of short descriptions, in which terms are fields.
    else if (relativePath !== undefined && !relativePath.startsWith('api/')) linkFirstUses(state, terms);
  });
}

function nameRows(tokens: Token[]): void {
  for (const [index, token] of tokens.entries()) {
    const name = token.type === 'tr_open' && tokens[index + 1]?.type === 'td_open' ? tokens[index + 2]?.content : undefined;
    if (name !== undefined) token.attrSet('id', anchorOf(name));
  }
}

function linkFirstUses(state: State, terms: (Term & { pattern: RegExp })[]): void {
  const left = new Set(terms);
  const linked = new Set<string>();
  for (const [index, token] of state.tokens.entries()) {
    if (token.type !== 'inline' || !token.children || state.tokens[index - 1]?.type === 'heading_open') continue;
    let depth = 0;
    token.children = token.children.flatMap((child) => {
      if (child.type === 'link_open') depth++;
      if (child.type === 'link_close') depth--;
      return child.type === 'text' && depth === 0 ? withLinks(state, child) : [child];
    });
  }

  /** A text with a link around the first use of each term that is still without one. */
  function withLinks(at: State, text: Token): Token[] {
    for (const term of left) {
      const found = term.pattern.exec(text.content);
      if (!found || (term.words === 'session' && !BESIDE_SESSIONS.test(text.content))) continue;
      left.delete(term);
      if (linked.has(term.anchor)) continue;
      linked.add(term.anchor);
      const [before, after] = [text.content.slice(0, found.index), text.content.slice(found.index + found[0].length)];
      return [...withLinks(at, textToken(at, before)), ...linkOf(at, term, found[0]), ...withLinks(at, textToken(at, after))];
    }
    return [text];
  }
}

function linkOf(state: State, { anchor, meaning }: Term, text: string): Token[] {
  const open = new state.Token('link_open', 'a', 1);
  open.attrs = [
    ['href', `/${GLOSSARY}#${anchor}`],
    ['class', 'term'],
    ['title', meaning],
  ];
  return [open, textToken(state, text), new state.Token('link_close', 'a', -1)];
}

function textToken(state: State, content: string): Token {
  return Object.assign(new state.Token('text', '', 0), { content });
}
