import type { TestProject } from 'vitest/node'
import { EngineRuntime } from '../runtime/docker/engine-runtime'
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
  return async () => {
    await remove()
    // All tests share the engine's network with internet access, so none of them may remove it.
    await new EngineRuntime({ outputLimitBytes: 1 }).internet.release()
  }
}
