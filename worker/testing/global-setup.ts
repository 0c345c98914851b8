import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { EngineRuntime } from '../runtime/docker/engine-runtime'

declare module 'vitest' {
  interface ProvidedContext {
    workerBundle: string
  }
}

const root = resolve(import.meta.dirname, '../..')

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

/** The built worker, in a directory of its own. */
async function bundleWorker(): Promise<{ file: string; remove(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'gpuq-worker-'))
  await promisify(execFile)(process.execPath, [join(root, 'deploy/package/bundle-worker.mjs'), directory])
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'))
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }')
  return {
    file: join(directory, 'worker.js'),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}
