/** Bundles the worker. `node deploy/package/bundle-worker.mjs DIRECTORY` does it for tests. */
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { withPackages } from './bundle-options.mjs'

/** @param {string} outdir where worker.js and its chunks go */
export async function bundleWorker(outdir) {
  await build({
    ...withPackages,
    outdir,
    entryPoints: { worker: 'worker/index.ts' },
    chunkNames: 'worker/[name]-[hash]',
  })
}

const [, script, directory] = process.argv
if (script && directory && import.meta.url === pathToFileURL(script).href) await bundleWorker(directory)
