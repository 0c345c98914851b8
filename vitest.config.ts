import { defineConfig } from 'vitest/config'

const alias = { '@': import.meta.dirname }
/** What is waited for is there at once or never; one second is too short for "at once" on a busy machine. */
const patience = { poll: { timeout: 30_000 } }
const exclude = ['node_modules/**', '.next/**', 'dist/**', 'e2e/**']

/** Three kinds of test, told apart by their names: what they may touch is written in CONTRIBUTING.md. */
export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'unit',
          include: ['**/*.test.{ts,tsx}'],
          exclude: [...exclude, '**/*.{db,docker}.test.ts'],
          // Properties over thousands of cases take seconds on a busy machine.
          testTimeout: 180_000,
          expect: patience,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'db',
          include: ['**/*.db.test.ts'],
          exclude,
          globalSetup: ['lib/database/testing/global-setup.ts'],
          // Only there to end a test that hangs.
          testTimeout: 180_000,
          expect: patience,
          hookTimeout: 180_000,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'docker',
          include: ['**/*.docker.test.ts'],
          exclude,
          globalSetup: ['lib/database/testing/global-setup.ts'],
          // Only there to end a test that hangs: the slowest take a minute here, and most of that is waiting for leases.
          testTimeout: 480_000,
          expect: patience,
          hookTimeout: 240_000,
          fileParallelism: false,
        },
      },
    ],
  },
})
