import { join } from 'node:path'
import { test as base } from '@playwright/test'
import { startSystem } from './system/start-system'
import { announceSystem, theSystem } from './system/the-system'

const reportMemory = join(import.meta.dirname, 'system', 'report-memory.mjs')

/**
 * Tests with a system of their own, for requests that would harm other tests, and to measure the server alone.
 * Playwright runs them in processes of their own, so `theSystem()` is that system.
 */
export const test = base.extend<object, { ownSystem: undefined }>({
  ownSystem: [
    async ({ browserName: _ }, use) => {
      const system = await startSystem({
        env: {
          GPUQ_WRITES_PER_MINUTE: '1000000',
          GPUQ_MAX_WAIT_S: '1',
          GPUQ_MAX_PROJECTS: '1000000',
          NODE_OPTIONS: [process.env.NODE_OPTIONS ?? '', `--import=${reportMemory}`].join(' ').trim(),
        },
      })
      const shared = theSystem()
      announceSystem(system)
      await use(undefined)
      // Playwright gives the environment of this process to the next one.
      announceSystem(shared)
      await system.stop()
    },
    { scope: 'worker', auto: true, timeout: 240_000 },
  ],
})
