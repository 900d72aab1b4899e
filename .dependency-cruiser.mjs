// Which folder of the server, the client and the console may import which. Each rule has a deliberate violation in
// scripts/test/layer-rules.test.ts. Imports of types count too.

const adapters = '^server/src/(datastore/(sqlite|postgres)|limits/(memory|valkey))/';

/** A rule for one folder: all of server/src that its files may import besides each other. */
function folderRule(folder, allowed, comment) {
  return {
    name: `${folder}-imports`,
    comment,
    from: { path: `^server/src/${folder}/` },
    to: { path: '^server/src/', pathNot: `^server/src/(${[`${folder}/`, ...allowed].join('|')})` },
  };
}

const folderRules = [
  {
    name: 'domain-imports-only-domain',
    comment: 'The domain is pure: pass in what it needs, or do the work in a service.',
    from: { path: '^server/src/domain/' },
    to: { pathNot: '^server/src/domain/' },
  },
  folderRule(
    'lib',
    [],
    'A file in lib is a leaf: pass in what it needs, or move it to the layer that it knows.',
  ),
  folderRule(
    'datastore',
    ['operations/views/(event|inventory)\\.ts$', 'domain/', 'lib/'],
    'The datastore takes and returns values of the domain; put decisions into services. Only events are stored as clients see them.',
  ),
  folderRule(
    'limits',
    ['domain/', 'lib/'],
    'Declare in limits the interface that it needs, and let services implement it.',
  ),
  folderRule(
    'services',
    ['datastore/', 'limits/', 'domain/', 'lib/'],
    'A service knows no HTTP: throw a Refusal from domain/errors.ts and return records.',
  ),
  folderRule(
    'webhooks',
    ['datastore/', 'domain/', 'lib/'],
    'Deliveries know the datastore and nothing above it: let configured-webhooks.ts pass in the rest.',
  ),
  folderRule(
    'operations',
    ['services/', 'datastore/', 'limits/', 'domain/', 'lib/'],
    'An operation knows no socket: declare what it needs in Dependencies; http passes it in.',
  ),
  folderRule(
    'contract',
    ['operations/', 'domain/', 'lib/'],
    'The contract is derived from the operations alone.',
  ),
  folderRule(
    'telemetry',
    ['domain/', 'lib/'],
    'Telemetry gets plain values; let http take them from the request.',
  ),
  folderRule(
    'mcp',
    ['contract/version\\.ts$', 'operations/(operation|parameters)\\.ts$', 'domain/', 'lib/'],
    'MCP reads messages and names operations; http admits and runs them.',
  ),
  {
    name: 'mcp-only-on-demand',
    comment:
      'Most services see no agent: load mcp with import() on the first request, or import its types.',
    from: { path: '^server/src/', pathNot: '^server/src/mcp/' },
    to: { path: '^server/src/mcp/', dynamic: false, dependencyTypesNot: ['type-only'] },
  },
  folderRule(
    'http',
    [
      'mcp/',
      'contract/',
      'operations/',
      'services/',
      'datastore/',
      'limits/',
      'telemetry/',
      'domain/',
      'lib/',
    ],
    'Let app.ts pass in what the server needs, through ServerOptions or Dependencies.',
  ),
  {
    name: 'http-knows-no-noun',
    comment:
      'The kernel serves any operation: declare the difference in operations/operation.ts and read it there.',
    from: { path: '^server/src/(http|contract)/' },
    to: {
      path: '^server/src/operations/',
      pathNot:
        '^server/src/operations/((operation|contract|success|parameters)\\.ts|schemas/(validator|error)\\.ts)$',
    },
  },
  folderRule(
    'cli',
    [
      'app\\.ts$',
      'stores\\.ts$',
      'config\\.ts$',
      'configured-(limiter|webhooks)\\.ts$',
      'operations/(schemas|views)/',
      'services/',
      'datastore/',
      'limits/limiter\\.ts$',
      'telemetry/',
      'domain/',
      'lib/',
    ],
    'A command works on the datastore through services; app.ts starts the server.',
  ),
];

const adapterRules = [
  {
    name: 'only-app-picks-adapters',
    comment:
      'Import the port (datastore/datastore.ts, limits/limiter.ts); stores.ts and configured-limiter.ts pick the adapter.',
    from: {
      path: '^server/src/',
      pathNot: ['^server/src/(app|stores|configured-limiter)\\.ts$', adapters],
    },
    to: { path: adapters },
  },
  {
    name: 'adapters-stand-apart',
    comment: 'Move what two adapters share into the folder of their port.',
    from: { path: '^server/src/(datastore|limits)/(sqlite|postgres|memory|valkey)/' },
    to: { path: adapters, pathNot: '^server/src/$1/$2/' },
  },
  {
    name: 'fastify-only-in-http',
    comment:
      'Only http knows Fastify: return a value or throw a Refusal, or take a type that http exports.',
    from: { path: '^server/src/', pathNot: '^server/src/http/' },
    to: { path: '(^|/)node_modules/(fastify|@fastify/[^/]+)/' },
  },
  {
    name: 'node-http-without-its-facade',
    comment:
      'Take it from lib/node-http.ts, which loads less than an import does, or import its types.',
    from: { path: '^server/src/' },
    to: { path: '^(node:)?http$', dependencyTypes: ['core'], dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'sqlite-only-in-its-folder',
    comment: 'Only datastore/sqlite talks to SQLite: add a method to the port and call that.',
    from: { path: '^server/src/', pathNot: '^server/src/datastore/sqlite/' },
    to: { path: '(^|/)node_modules/(better-sqlite3|@types/better-sqlite3)/' },
  },
  {
    name: 'redis-only-in-its-folder',
    comment:
      'Only limits/valkey talks to Valkey, and it is loaded where a URL is set: use the port of the limiter.',
    from: { path: '^server/src/', pathNot: '^server/src/limits/valkey/' },
    to: { path: '(^|/)node_modules/@redis/client/' },
  },
  {
    name: 'pg-only-in-its-folder',
    comment: 'Only datastore/postgres talks to PostgreSQL: add a method to the port and call that.',
    from: { path: '^server/src/', pathNot: '^server/src/datastore/postgres/' },
    to: { path: '(^|/)node_modules/(pg|pg-protocol|@types/pg)/' },
  },
];

const shapeRules = [
  {
    name: 'no-cycles',
    comment: 'Move what both files need into a third. Cycles of types count too.',
    from: { path: '^server/src/' },
    to: { circular: true },
  },
  {
    name: 'no-orphans',
    comment:
      'Nothing leads here from main.ts: import it (operations: operations/operations.ts) or delete it.',
    from: { path: '^server/src/main\\.ts$' },
    to: { path: '^server/src/', reachable: false },
  },
  {
    name: 'no-test-code-in-the-server',
    comment: 'Move what the server needs out of the tests, into server/src.',
    from: { path: '^server/src/' },
    to: { path: '^(server/test|scripts|bench)/' },
  },
  {
    name: 'no-unresolvable-imports',
    comment: 'This leads nowhere: correct the path, or add the package to server/package.json.',
    from: { path: '^server/src/' },
    to: { couldNotResolve: true },
  },
];

/** A rule for one folder of the console: all of console/src that its files may import besides each other. */
function consoleRule(folder, allowed, comment) {
  return {
    name: `console-${folder}-imports`,
    comment,
    from: { path: `^console/src/${folder}/` },
    to: {
      path: '^console/src/',
      pathNot: `^console/src/(${[`${folder}/`, ...allowed].join('|')})`,
    },
  };
}

const consoleRules = [
  consoleRule(
    'screens',
    ['shell/', 'parts/', 'charts/', 'ui/', 'api/', 'words/', '(router|routes|load-more)\\.ts$'],
    'A screen is built of the folders below it; only screen-of.ts and more.ts know the screens.',
  ),
  consoleRule(
    'shell',
    ['parts/', 'ui/', 'api/', 'words/', '(router|routes|load-more|screen-of)\\.ts$'],
    'The shell reaches screens through screen-of.ts, and all that is loaded later through load-more.ts.',
  ),
  consoleRule(
    'parts',
    ['ui/', 'api/', 'words/', 'router\\.ts$'],
    'What screens share knows none of them: pass in what it needs.',
  ),
  consoleRule(
    'api',
    ['words/'],
    'The API knows no component: return values, and let screens show.',
  ),
  consoleRule(
    'charts',
    ['ui/', 'words/'],
    'A chart knows neither the API nor the address: pass in the numbers.',
  ),
  consoleRule(
    'ui',
    ['words/'],
    'A control knows neither the API nor the address: pass in values and callbacks.',
  ),
  consoleRule('words', ['ui/format\\.ts$'], 'Words are values: pass in what they speak of.'),
  {
    name: 'console-client-only-in-api',
    comment: 'Only console/src/api calls the client: take the store and its errors from there.',
    from: { path: '^console/src/', pathNot: '^console/src/api/' },
    to: { path: '^client/|(^|/)@petstore/client', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'console-knows-no-server',
    comment: 'The console knows the contract alone: take types from @petstore/client.',
    from: { path: '^console/src/' },
    to: { path: '^(server|scripts|bench|console/test)/' },
  },
  {
    name: 'console-no-cycles',
    comment: 'Move what both files need into a third. Cycles of types count too.',
    from: { path: '^console/src/' },
    to: { circular: true },
  },
  {
    name: 'console-no-unresolvable-imports',
    comment: 'This leads nowhere: correct the path, or add the package to console/package.json.',
    from: { path: '^console/src/' },
    to: { couldNotResolve: true },
  },
];

const clientRules = [
  {
    name: 'client-no-cycles',
    comment: 'Move what both files need into a third. Cycles of types count too.',
    from: { path: '^client/src/' },
    to: { circular: true },
  },
];

export default {
  forbidden: [...folderRules, ...adapterRules, ...shapeRules, ...clientRules, ...consoleRules].map(
    (rule) => ({
      severity: 'error',
      ...rule,
    }),
  ),
  options: {
    // dependency-cruiser cannot parse with TypeScript 7; swc sees imports of types as well.
    parser: 'swc',
    doNotFollow: { path: '(^|/)node_modules/' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
