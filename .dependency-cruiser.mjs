// Which part of the server may import which. Each rule has a deliberate violation in
// scripts/test/layer-rules.test.ts. Imports of types count too, unless a rule says otherwise.

const adapters =
  '^server/src/(datastore/(sqlite|postgres|serving-lock)|limits/(memory|valkey))[^/]*$';

const layerRules = [
  {
    name: 'domain-imports-only-domain',
    comment: 'The domain is pure: pass in what it needs, or do the work in a service.',
    from: { path: '^server/src/domain/' },
    to: { pathNot: '^server/src/domain/' },
  },
  {
    name: 'lib-imports-nothing-of-ours',
    comment:
      'A file in lib is a leaf: pass in what it needs, or move it to the layer that it knows.',
    from: { path: '^server/src/lib/' },
    to: { path: '^server/src/' },
  },
  {
    name: 'services-do-not-know-http',
    comment: 'Throw a Refusal from domain/errors.ts and let api turn it into an answer.',
    from: { path: '^server/src/services/' },
    to: { path: '^server/src/api/' },
  },
  {
    name: 'datastore-looks-only-down',
    comment: 'The datastore takes and gives values of the domain; put what decides into services.',
    from: { path: '^server/src/datastore/' },
    to: { path: '^server/src/(services|api|limits)/' },
  },
  {
    name: 'limits-stand-alone',
    comment: 'Declare in limits the interface that it needs, and let services implement it.',
    from: { path: '^server/src/limits/' },
    to: { path: '^server/src/', pathNot: '^server/src/(domain|lib|limits)/' },
  },
  {
    name: 'api-does-not-import-its-host',
    comment: 'Let app.ts pass in what the API needs, through ServerOptions or Dependencies.',
    from: { path: '^server/src/api/' },
    to: { path: '^server/src/(cli/|app\\.ts$|main\\.ts$)' },
  },
];

const adapterRules = [
  {
    name: 'only-app-picks-adapters',
    comment:
      'Import the port (datastore/datastore.ts, limits/limiter.ts); app.ts passes the adapter in.',
    from: { path: '^server/src/', pathNot: ['^server/src/app\\.ts$', adapters] },
    to: { path: adapters },
  },
  {
    name: 'fastify-only-in-api',
    comment:
      'Only api knows HTTP: return a value or throw a Refusal, or take a type that api exports.',
    from: { path: '^server/src/', pathNot: '^server/src/api/' },
    to: { path: '(^|/)node_modules/(fastify|@fastify/[^/]+)/' },
  },
  {
    name: 'drivers-only-in-datastore',
    comment: 'Only datastore talks to a database: add a method to its port and call that.',
    from: { path: '^server/src/', pathNot: '^server/src/datastore/' },
    to: { path: '(^|/)node_modules/(better-sqlite3|pg|@types/better-sqlite3|@types/pg)/' },
  },
  {
    name: 'redis-only-in-tests',
    comment: 'limits/valkey-socket.ts is what talks to Valkey (docs/adr/0005-node-and-tools.md).',
    from: { path: '^server/src/' },
    to: { path: '(^|/)node_modules/(redis|@redis/[^/]+)/' },
  },
];

const shapeRules = [
  {
    name: 'no-cycles',
    comment: 'Move what both files need into a third. Cycles of types alone are let pass.',
    from: { path: '^server/src/' },
    to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
  },
  {
    name: 'no-orphans',
    comment:
      'Nothing leads here from main.ts: import it (operations: api/operations.ts) or delete it.',
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
    comment: 'This leads nowhere: mend the path, or add the package to server/package.json.',
    from: { path: '^server/src/' },
    to: { couldNotResolve: true },
  },
];

export default {
  forbidden: [...layerRules, ...adapterRules, ...shapeRules].map((rule) => ({
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
