import { defineConfig } from 'vite';

/** The operator's page, built beside the API that serves it. */
export default defineConfig({
  base: '/dashboard/',
  build: {
    outDir: '../../dist/apps/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    // A data: URL would need a hole in the content security policy.
    assetsInlineLimit: 0,
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // For work on the page: `npm start`, and then `npx vite apps/dashboard`.
  server: { proxy: { '^/(v1|ready|dashboard/(session|data|events))(/|$|\\?)': 'http://127.0.0.1:3000' } },
});
