/**
 * The import rules: app → components → lib, worker → lib, cli → lib, and the layers inside lib.
 * docs/architecture.md explains them. No exceptions are listed here.
 */

/** Top-level folders, and what each may import besides itself. */
const folders = {
  app: ['components', 'lib'],
  components: ['lib/async', 'lib/contract', 'lib/http/client'],
  cli: ['lib/async', 'lib/contract', 'lib/http/client'],
  worker: ['lib'],
  lib: [],
}

/** The layers of lib, bottom to top. No import goes up. */
const layers = [
  ['contract', 'async', 'docs'],
  ['env', 'logger'],
  ['database', 'storage', 'scheduling', 'slurm'],
  ['access'],
  ['results', 'archives'],
  ['jobs'],
  ['cluster'],
  ['queue'],
  ['agents'],
  ['http'],
  ['routes'],
]

/** The features of the worker that take part in the life of a task. */
const taskFeatures = [
  'archives',
  'artifacts',
  'checkpoints',
  'host-files',
  'snapshots',
  'warm',
  'working-files',
  'workspaces',
]

const oneOf = (names) => `(${names.join('|')})`
/** A test may combine layers; released code may not. */
const testFiles = '\\.test\\.tsx?$|/testing/'
const projectFolders = '^(app|components|lib|worker|cli|e2e|deploy)/'

const folderRules = Object.entries(folders).map(([folder, allowed]) => ({
  name: `${folder}-imports`,
  severity: 'error',
  comment: `${folder} may import only ${[folder, ...allowed].join(', ')}`,
  from: { path: `^${folder}/` },
  to: { path: projectFolders, pathNot: `^${oneOf([folder, ...allowed])}/` },
}))

const layerRules = layers.slice(0, -1).map((layer, index) => ({
  name: `lib-layer-${layer.join('-')}`,
  severity: 'error',
  comment: `lib/${layer.join(', lib/')} may not import a higher layer of lib`,
  from: { path: `^lib/${oneOf(layer)}(/|\\.ts$)`, pathNot: testFiles },
  to: { path: `^lib/${oneOf(layers.slice(index + 1).flat())}(/|\\.ts$)` },
}))

module.exports = {
  forbidden: [
    ...folderRules,
    ...layerRules,
    {
      name: 'lib-has-a-layer',
      severity: 'error',
      comment: 'Every file of lib belongs to one of the layers',
      from: {},
      to: { path: '^lib/', pathNot: `^lib/${oneOf(layers.flat())}(/|\\.ts$)` },
    },
    {
      name: 'contract-is-portable',
      severity: 'error',
      comment:
        'Browser, command line and server share lib/contract: it imports only zod, yaml for config files, damerau-levenshtein to suggest the key that was meant, and zxcvbn-ts to rate passwords',
      from: { path: '^lib/contract/', pathNot: '\\.test\\.ts$' },
      to: {
        pathNot: '^(lib/contract/|node_modules/(zod|yaml|@zxcvbn-ts|(@types/)?damerau-levenshtein)/)',
      },
    },
    {
      name: 'client-is-portable',
      severity: 'error',
      comment:
        'Browser and command line load lib/http/client: of lib it imports only lib/contract and lib/async',
      from: { path: '^lib/http/client/', pathNot: '\\.test\\.ts$' },
      to: { path: '^lib/', pathNot: '^lib/(contract|async|http/client)/' },
    },
    {
      name: 'async-is-portable',
      severity: 'error',
      comment: 'Browser and command line load lib/async: it imports only itself and Node’s timers',
      from: { path: '^lib/async/', pathNot: testFiles },
      to: { pathNot: '^(lib/async/|(node:)?timers/promises$)' },
    },
    {
      name: 'scheduling-is-pure',
      severity: 'error',
      comment: 'lib/scheduling imports only itself',
      from: { path: '^lib/scheduling/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: '^lib/scheduling/' },
    },
    {
      name: 'job-state-is-lowest',
      severity: 'error',
      comment:
        'lib/jobs/state writes the state of jobs and decides nothing: of lib/jobs it imports only itself',
      from: { path: '^lib/jobs/state/', pathNot: testFiles },
      to: { path: '^lib/jobs/', pathNot: '^lib/jobs/state/' },
    },
    {
      name: 'worker-loads-no-server-only',
      severity: 'error',
      comment: "server-only's default export throws outside React's server condition",
      from: { path: '^(lib|worker|cli)/' },
      to: { path: 'node_modules/server-only' },
    },
    {
      name: 'tasks-know-no-feature',
      severity: 'error',
      comment:
        'The features of tasks are hooks: worker/task-hooks.ts lists them, and the code that runs a task knows none',
      from: { path: '^worker/(engine|files|gpus|node|provisioner|runtime)/', pathNot: testFiles },
      to: { path: `^worker/${oneOf(taskFeatures)}/` },
    },
    {
      name: 'dockerode-in-one-place',
      severity: 'error',
      comment: 'worker/runtime/docker/docker.ts is the only file that uses dockerode',
      from: { pathNot: '^worker/runtime/docker/docker\\.ts$' },
      to: { path: 'node_modules/(dockerode|@types/dockerode)' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
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
