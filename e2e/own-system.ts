import { join } from 'node:path'
import { test as base } from '@playwright/test'
import { type System, startSystem } from './system/start-system'
import { announceSystem, theSystem } from './system/the-system'

const reportMemory = join(import.meta.dirname, 'system', 'report-memory.mjs')

/** Lets the tests of a process use a system of their own: `theSystem()` is that system until `use` returns. */
export async function useOwnSystem(
  system: Omit<System, 'stop'> & { stop: () => Promise<unknown> },
  use: (fixture: undefined) => Promise<void>,
): Promise<void> {
  const shared = theSystem()
  announceSystem(system)
  await use(undefined)
  // Playwright gives the environment of this process to the next one.
  announceSystem(shared)
  await system.stop()
}

/** The limits of a fixture that starts a system. Playwright runs its tests in processes of their own. */
export const ownSystemOptions = { scope: 'worker', auto: true, timeout: 240_000 } as const

/** Tests with a system of their own, for requests that would harm other tests, and to measure the server alone. */
export const test = base.extend<object, { ownSystem: undefined }>({
  ownSystem: [
    async ({ browserName: _ }, use) =>
      useOwnSystem(
        await startSystem({
          env: {
            GPUQ_WRITES_PER_MINUTE: '1000000',
            GPUQ_MAX_WAIT_S: '1',
            GPUQ_MAX_PROJECTS: '1000000',
            NODE_OPTIONS: [process.env.NODE_OPTIONS ?? '', `--import=${reportMemory}`].join(' ').trim(),
          },
        }),
        use,
      ),
    ownSystemOptions,
  ],
})
