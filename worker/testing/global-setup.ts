import type { TestProject } from 'vitest/node'
import { bundleWorker } from './worker-bundle'

declare module 'vitest' {
  interface ProvidedContext {
    workerBundle: string
  }
}

/** One bundle of the worker for all tests of a run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { file, remove } = await bundleWorker()
  project.provide('workerBundle', file)
  return remove
}
