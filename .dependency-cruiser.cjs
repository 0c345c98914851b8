/** The import rule: app → components → lib, worker → lib, cli → lib. No exceptions are listed here. */
const outside = (room, allowed) => ({
  name: `${room}-imports`,
  severity: 'error',
  comment: `${room} may import only ${allowed.join(', ')}`,
  from: { path: `^${room}/` },
  to: {
    path: '^(app|components|lib|worker|cli|e2e|deploy)/',
    pathNot: `^(${[room, ...allowed].join('|')})/`,
  },
})

module.exports = {
  forbidden: [
    outside('app', ['components', 'lib']),
    outside('components', ['lib']),
    outside('lib', []),
    outside('worker', ['lib']),
    outside('cli', ['lib']),
    {
      name: 'scheduling-is-pure',
      severity: 'error',
      comment: 'lib/scheduling imports only itself',
      from: { path: '^lib/scheduling/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: '^lib/scheduling/' },
    },
    {
      name: 'components-stay-in-the-browser',
      severity: 'error',
      comment: 'components take from lib only schemas, types, status helpers and the browser client',
      from: { path: '^components/' },
      to: {
        path: '^lib/(database|cluster/(?!schemas)|env|logger|access/(?!roles|schemas)|jobs/(?!status|schemas|config|reasons|visible-text)|results/(?!records)|http/(?!client|schemas|queries))',
      },
    },
    {
      name: 'the-command-line-speaks-http',
      severity: 'error',
      comment:
        'cli takes from lib only the typed client, schemas, tables of statuses and reasons, the records, and what a shipped directory is',
      from: { path: '^cli/' },
      to: {
        path: '^lib/',
        pathNot:
          '^lib/(errors|http/client|archives/(schemas|manifest|paths|frames|archive-hash)|access/(schemas|roles)|cluster/(schemas|queue-schemas)|jobs/(schemas|visible-text|status|reasons)|results/(printed|records|rank-labels))',
      },
    },
    {
      name: 'worker-loads-no-server-only',
      severity: 'error',
      comment: "server-only's default export throws outside React's server condition",
      from: { path: '^(lib|worker|cli)/' },
      to: { path: 'node_modules/server-only' },
    },
    {
      name: 'dockerode-in-one-place',
      severity: 'error',
      comment: 'worker/runtime/docker/docker.ts is the only file that talks to dockerode',
      from: { pathNot: '^worker/runtime/docker/docker\\.ts$' },
      to: { path: 'node_modules/(dockerode|@types/dockerode)' },
    },
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(\\.next|dist|generated)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default'],
    },
  },
}
