/** The documentation as a static site: `npm run docs:site` builds it into dist/docs, and the service serves it at /docs. */
import { join } from 'node:path';
import { defineConfig, type DefaultTheme } from 'vitepress';
import { drawingOf, writeDrawings } from './drawings.mts';
import { linkTerms } from './glossary.mts';
import { REFERENCE_GROUPS, removeReference, writeReference } from './reference.mts';

const BASE = '/docs/';

/** Links to files of the repository beside docs/, which are not part of the site. */
const OUTSIDE = /^(\.\.\/)+(README\.md|[A-Z]+\.md|LICENSE|test\/|apps\/|libs\/|programs\/|scripts\/|\.ci\/)/;

const SIDEBAR: DefaultTheme.SidebarItem[] = [
  {
    text: 'Quick start',
    items: [
      { text: 'Operators', link: '/start/operators' },
      { text: 'Agent developers', link: '/start/agents' },
      { text: 'Providers', link: '/start/providers' },
    ],
  },
  { text: 'Concepts', link: '/concepts' },
  {
    text: 'Guides',
    items: [
      { text: 'Connect a model (MCP)', link: '/agents' },
      { text: 'Pay APIs', link: '/payments' },
      { text: 'Webhooks', link: '/events' },
      { text: 'The dashboard', link: '/guides/dashboard' },
      { text: 'Approvals by phone', link: '/guides/approvals' },
      { text: 'Fleets', link: '/guides/fleets' },
      { text: 'Your own chain key', link: '/guides/own-chain-key' },
      { text: 'Going to mainnet', link: '/guides/mainnet' },
      { text: 'Keys in a key service', link: '/guides/keys' },
      { text: 'Restoring a backup', link: '/guides/restore' },
      { text: 'Scale', link: '/scale' },
    ],
  },
  {
    text: 'Reference',
    items: [
      { text: 'Command line', link: '/cli' },
      { text: 'Lists, records and exports', link: '/lists' },
      { text: 'Errors', link: '/errors' },
      { text: 'Settings', link: '/settings' },
      { text: 'Limits and guarantees', link: '/limits' },
      { text: 'Operations', link: '/operations' },
      {
        text: 'Alerts',
        collapsed: true,
        items: [
          { text: 'FeePayerLow', link: '/runbooks/fee-payer-low' },
          { text: 'OrdersStuck', link: '/runbooks/orders-stuck' },
          { text: 'LedgerDrift', link: '/runbooks/ledger-drift' },
          { text: 'NodesFail', link: '/runbooks/nodes-fail' },
          { text: 'DeliveriesLate', link: '/runbooks/deliveries-late' },
          { text: 'ServerErrors', link: '/runbooks/server-errors' },
        ],
      },
      { text: 'Glossary', link: '/glossary' },
    ],
  },
  {
    text: 'How it is built',
    items: [
      { text: 'Architecture', link: '/architecture' },
      { text: 'Decisions', link: '/adr/README' },
      { text: 'The program', link: '/program' },
      { text: 'Database', link: '/database' },
    ],
  },
];

// Before VitePress looks for pages.
writeReference();

export default defineConfig({
  title: 'Agent Payment Service',
  description: 'USDC accounts on Solana for software agents, with spending policies that the chain enforces',
  base: BASE,
  cleanUrls: true,
  outDir: '../dist/docs',
  cacheDir: '../node_modules/.cache/vitepress',
  // One script for all pages instead of one inside each, and no script that chooses colours: see docs-site.controller.ts.
  metaChunk: true,
  buildEnd: ({ outDir }) => {
    removeReference();
    return writeDrawings(outDir);
  },
  appearance: false,
  markdown: {
    // The colours of code that have the contrast of text on the page's grey.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (markdown) => {
      // The text stays, and the title names the file.
      markdown.core.ruler.push('files_of_the_repository', ({ tokens }) => {
        for (const { children } of tokens) {
          let isOutside = false;
          for (const token of children ?? []) {
            const href = token.type === 'link_open' ? String(token.attrGet('href')) : undefined;
            if (href !== undefined) isOutside = OUTSIDE.test(href);
            if (!isOutside || !token.type.startsWith('link_')) continue;
            token.tag = 'span';
            if (href !== undefined) token.attrs = [['title', `${href.replace(/^(\.\.\/)+/, '')} in the repository`]];
          }
        }
      });
      linkTerms(markdown, join(import.meta.dirname, '..'));
      const fence = markdown.renderer.rules.fence;
      markdown.renderer.rules.fence = (tokens, index, ...more) => {
        const token = tokens[index];
        if (token?.info.trim() !== 'mermaid') return fence?.(tokens, index, ...more) ?? '';
        return drawingOf(token.content, BASE);
      };
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    reference: REFERENCE_GROUPS,
    sidebar: { '/api/': [{ text: 'API reference', link: '/api/', items: REFERENCE_GROUPS }], '/': SIDEBAR },
    nav: [{ text: 'API reference', link: '/api/' }],
  },
});
