import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
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

/** The built worker: one file for Node, in a directory of its own. Takes a fifth of a second. */
async function bundleWorker(): Promise<{ file: string; remove(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'gpuq-worker-'))
  await build({
    absWorkingDir: root,
    entryPoints: ['worker/index.ts'],
    outfile: join(directory, 'worker.mjs'),
    platform: 'node',
    target: 'node20',
    format: 'esm',
    bundle: true,
    packages: 'external',
    sourcemap: 'linked',
    logLevel: 'warning',
  })
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'))
  return {
    file: join(directory, 'worker.mjs'),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}
