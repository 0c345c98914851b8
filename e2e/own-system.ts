import { join } from 'node:path'
import { registerAbsentNode } from './system/absent-node'
import { type System, startSystem } from './system/start-system'
import { announceSystem, theSystem } from './system/the-system'

type Running = Omit<System, 'stop'> & { stop: () => Promise<unknown> }

const reportMemory = join(import.meta.dirname, 'system', 'report-memory.mjs')

/**
 * Lets the tests of a process use a system of their own: `theSystem()` is that system until the returned function, which
 * stops it, is called.
 */
export function enterOwnSystem(system: Running): () => Promise<void> {
  const shared = theSystem()
  announceSystem(system)
  return async () => {
    // Playwright gives the environment of this process to the next one.
    announceSystem(shared)
    await system.stop()
  }
}

/** The same for a fixture of Playwright. */
export async function useOwnSystem(
  system: Running,
  use: (fixture: undefined) => Promise<void>,
): Promise<void> {
  const leave = enterOwnSystem(system)
  await use(undefined)
  await leave()
}

/** The limits of a fixture that starts a system. Playwright runs its tests in processes of their own. */
export const ownSystemOptions = { scope: 'worker', auto: true, timeout: 240_000 } as const

/** Starts a system for requests that would harm other tests, and to measure its web server alone. */
export async function startMeasuredSystem(): Promise<System> {
  const system = await startSystem({
    env: {
      GPUQ_WRITES_PER_MINUTE: '1000000',
      GPUQ_MAX_WAIT_S: '1',
      GPUQ_MAX_PROJECTS: '1000000',
      NODE_OPTIONS: [process.env.NODE_OPTIONS ?? '', `--import=${reportMemory}`].join(' ').trim(),
    },
  })
  await registerAbsentNode(system.databaseUrl)
  return system
}
