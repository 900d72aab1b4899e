// Which folder of the server may import which. Each rule has a deliberate violation in
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
    ['domain/', 'lib/'],
    'The datastore takes and returns values of the domain; put decisions into services.',
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
    'http',
    [
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
        '^server/src/operations/((operation|parameters|stream)\\.ts|schemas/(validator|error)\\.ts)$',
    },
  },
  folderRule(
    'cli',
    [
      'app\\.ts$',
      'stores\\.ts$',
      'config\\.ts$',
      'configured-webhooks\\.ts$',
      'operations/(schemas|views)/',
      'services/',
      'datastore/',
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
      'Import the port (datastore/datastore.ts, limits/limiter.ts); app.ts and stores.ts pass the adapter in.',
    from: { path: '^server/src/', pathNot: ['^server/src/(app|stores)\\.ts$', adapters] },
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
    name: 'sqlite-only-in-its-folder',
    comment: 'Only datastore/sqlite talks to SQLite: add a method to the port and call that.',
    from: { path: '^server/src/', pathNot: '^server/src/datastore/sqlite/' },
    to: { path: '(^|/)node_modules/(better-sqlite3|@types/better-sqlite3)/' },
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

export default {
  forbidden: [...folderRules, ...adapterRules, ...shapeRules].map((rule) => ({
    severity: 'error',
    ...rule,
  })),
  options: {
    // dependency-cruiser cannot parse with TypeScript 7; swc sees imports of types as well.
    parser: 'swc',
    doNotFollow: { path: '(^|/)node_modules/' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.mjs', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
