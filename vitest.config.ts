import { defineConfig } from 'vitest/config'

const alias = { '@': import.meta.dirname }
/** One second is too short for a poll on a busy machine. */
const pollTimeout = { poll: { timeout: 30_000 } }
/** `npm test` lists the tests that passed only when repeated. A developer sees each failure. */
const retry = process.env.CI ? 1 : 0
const exclude = ['node_modules/**', '.next/**', 'dist/**']
/** The release suite adds the tests that repeat a guarantee. */
const isRelease = process.env.GPUQ_TEST_MATRIX === 'release'
const repetitions = (directory: string) => (isRelease ? [`${directory}/*.release.test.ts`] : [])
const database = 'lib/database/testing/global-setup.ts'

/** Tests that run containers. The limits are only there to end a test that hangs. */
const containers = {
  exclude,
  globalSetup: [database, 'worker/testing/global-setup.ts'],
  testTimeout: 480_000,
  retry,
  expect: pollTimeout,
  hookTimeout: 240_000,
}

/** Tests against a running gpuq: its web server, PostgreSQL, a worker and the engine. They use no page. */
const servers = {
  exclude,
  globalSetup: ['e2e/system/global-setup.ts'],
  maxWorkers: 4,
  testTimeout: 240_000,
  retry,
  // Each look is a request.
  expect: { poll: { timeout: 120_000, interval: 250 } },
  hookTimeout: 240_000,
}

/** The kinds of test, told apart by their names: what they may touch is written in CONTRIBUTING.md. */
export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: [...exclude, '**/*.{db,docker,faults,server,release}.test.ts'],
          // Files share processes and modules, which takes a third of the time: each undoes what it changes.
          isolate: false,
          env: { GPUQ_SECRET: 'a secret of the tests, long enough' },
          // Properties over thousands of cases take seconds on a busy machine.
          testTimeout: 180_000,
          expect: pollTimeout,
        },
      },
      // Components in jsdom. Each file has its own document, so files are isolated.
      {
        resolve: { alias },
        test: {
          name: 'component',
          include: ['**/*.test.tsx'],
          exclude,
          environment: 'jsdom',
          testTimeout: 180_000,
          expect: pollTimeout,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'db',
          include: ['**/*.db.test.ts'],
          exclude,
          globalSetup: [database],
          // Files share processes and packages, not modules: those cache the environment and the database.
          isolate: false,
          setupFiles: ['lib/database/testing/fresh-modules.ts'],
          // Only there to end a test that hangs.
          testTimeout: 180_000,
          retry,
          expect: pollTimeout,
          hookTimeout: 180_000,
        },
      },
      // Each test has users of its own. Those that change the whole system start one of their own.
      {
        resolve: { alias },
        test: { ...servers, name: 'server', include: ['e2e/**/*.server.test.ts', ...repetitions('e2e/**')] },
      },
      // Each file has nodes and networks of its own; those that harm an engine have a private one.
      {
        resolve: { alias },
        test: {
          ...containers,
          name: 'docker',
          include: ['**/*.docker.test.ts', ...repetitions('**')],
          exclude: [...exclude, 'e2e/**'],
          maxWorkers: 2,
          maxConcurrency: 4,
        },
      },
      // Faults at random moments. One case of each is among the other tests. A failure at one moment is a failure.
      {
        resolve: { alias },
        test: {
          ...containers,
          name: 'faults',
          include: ['**/*.faults.test.ts'],
          globalSetup: [...containers.globalSetup, 'worker/faults/global-setup.ts'],
          fileParallelism: false,
          testTimeout: 3_600_000,
          retry: 0,
        },
      },
    ],
  },
})
