import { defineConfig } from 'vite';

/** The build of the dashboard, which the API serves. */
export default defineConfig({
  base: '/dashboard/',
  build: {
    outDir: '../../dist/apps/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    // The Content-Security-Policy allows no data: URLs.
    assetsInlineLimit: 0,
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // For development: `npm start`, then `npx vite apps/dashboard`.
  server: { proxy: { '^/(v1|ready|dashboard/(session|data|events))(/|$|\\?)': 'http://127.0.0.1:3000' } },
});
