/**
 * The import rules: app → components → lib, worker → lib, cli → lib, the layers inside lib, and the features above them.
 * docs/architecture.md explains them. No exceptions are listed here.
 */
const { require: loadTypeScript } = require('tsx/cjs/api')

const { features } = loadTypeScript('./lib/features.ts', __filename)
const featureNames = Object.keys(features)
const oneOf = (names) => `(${names.join('|')})`

/** The folders of features. */
const foldersOf = (names) => `^(lib|components|worker|cli)/${oneOf(names)}/`
/** What browsers and the command line may load of a feature. */
const featureContracts = `lib/${oneOf(featureNames)}/(contract[a-z-]*|operations)\\.ts$`
/** The files that register features, each for one program or for all. */
const registrations =
  '^(lib/contract/operations/(operations|job-group)|lib/(engines|jobs/features|routes/(routes|features))|worker/(engines|features|task-hooks)|components/features|cli/(program|features))\\.tsx?$'

/** Top-level folders, and what each may import besides itself. */
const portable = ['lib/async/', 'lib/contract/', 'lib/http/client/', featureContracts]
const folders = {
  app: ['components/', 'lib/'],
  components: portable,
  cli: portable,
  worker: ['lib/'],
  lib: [],
}

/** The layers of lib, bottom to top. No import goes up. */
const layers = [
  ['contract', 'async'],
  ['env', 'logger'],
  ['database', 'storage', 'scheduling'],
  ['engine'],
  ['access'],
  ['results', 'archives'],
  ['jobs'],
  ['cluster'],
  ['queue'],
  ['http'],
  featureNames,
  ['routes', 'engines'],
]

/** What takes part in the life of a task on the worker, besides the features above. */
const taskFeatures = ['archives']

/** A test may combine layers; released code may not. */
const testFiles = '\\.test\\.tsx?$|/testing/'
const projectFolders = '^(app|components|lib|worker|cli|e2e|deploy)/'

const folderRules = Object.entries(folders).map(([folder, allowed]) => ({
  name: `${folder}-imports`,
  severity: 'error',
  comment: `${folder} may import only ${[`${folder}/`, ...allowed].join(', ')}`,
  from: { path: `^${folder}/` },
  to: { path: projectFolders, pathNot: `^${oneOf([`${folder}/`, ...allowed])}` },
}))

const layerRules = layers.slice(0, -1).map((layer, index) => ({
  name: `lib-layer-${layer.join('-')}`,
  severity: 'error',
  comment: `lib/${layer.join(', lib/')} may not import a higher layer of lib`,
  from: { path: `^lib/${oneOf(layer)}(/|\\.ts$)`, pathNot: `${registrations}|${testFiles}` },
  to: { path: `^lib/${oneOf(layers.slice(index + 1).flat())}(/|\\.ts$)` },
}))

const featureRules = [
  {
    name: 'kernel-imports-no-feature',
    severity: 'error',
    comment: 'Only pages, and the files that register features, import a feature of lib/features.ts',
    from: {
      path: '^(lib|components|worker|cli)/',
      pathNot: `${foldersOf(featureNames)}|${registrations}|${testFiles}`,
    },
    to: { path: foldersOf(featureNames) },
  },
  ...Object.entries(features).map(([name, { uses = [] }]) => ({
    name: `feature-${name}`,
    severity: 'error',
    comment: `${name} imports only the features that lib/features.ts names for it`,
    from: { path: foldersOf([name]), pathNot: testFiles },
    to: { path: foldersOf(featureNames), pathNot: foldersOf([name, ...uses]) },
  })),
]

module.exports = {
  forbidden: [
    ...folderRules,
    ...layerRules,
    ...featureRules,
    {
      name: 'lib-has-a-layer',
      severity: 'error',
      comment: 'Every file of lib belongs to one of the layers, of which one has the features',
      from: {},
      to: { path: '^lib/', pathNot: `^lib/${oneOf([...layers.flat(), 'features'])}(/|\\.ts$)` },
    },
    {
      name: 'contract-is-portable',
      severity: 'error',
      comment:
        'Browser, command line and server share lib/contract, and the contracts of features: they import only zod, yaml for config files, damerau-levenshtein to suggest the key that was meant, and zxcvbn-ts to rate passwords',
      from: { path: `^(lib/contract/|${featureContracts})`, pathNot: '\\.test\\.ts$' },
      to: {
        pathNot: `^(lib/contract/|${featureContracts}|node_modules/(zod|yaml|@zxcvbn-ts|(@types/)?damerau-levenshtein)/)`,
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
      from: { path: '^worker/(engine|files|gpus|node|runtime)/', pathNot: testFiles },
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
