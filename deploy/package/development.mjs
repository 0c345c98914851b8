/** Bundles for `npm run dev`, in a folder of its own: a build in dist/ stays as it is. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, context, formatMessages } from 'esbuild'
import { root } from '../run/settings.mjs'
import { bundleOptions } from './bundle-options.mjs'

const outdir = join(root, 'dist', 'development')

/** @returns {Promise<string>} the bundled file */
export async function bundleServe() {
  await build({ ...bundleOptions, outdir, entryPoints: { serve: 'deploy/run/serve.ts' } })
  return join(outdir, 'serve.js')
}

/**
 * Bundles the worker now, and again after each change of one of its files. A bundle with an error leaves the last good
 * one in place.
 * @param {object} options
 * @param {(problem: string | null) => void} options.onBundle called after each bundle, with the compiler's errors
 * @param {Record<string, string>} [options.entryPoints]
 * @param {string} [options.directory] where the bundle goes
 * @returns {Promise<() => Promise<void>>} ends the watch
 */
export async function watchWorker({
  onBundle,
  entryPoints = { worker: 'worker/index.ts' },
  directory = outdir,
}) {
  mkdirSync(directory, { recursive: true })
  /** @type {import('esbuild').Plugin} */
  const report = {
    name: 'report',
    setup({ onEnd }) {
      onEnd(async ({ errors, outputFiles = [] }) => {
        for (const { path, contents } of outputFiles) writeFileSync(path, contents)
        const texts = await formatMessages(errors, { kind: 'error' })
        onBundle(texts.length > 0 ? texts.join('').trimEnd() : null)
      })
    },
  }
  const watching = await context({
    ...bundleOptions,
    outdir: directory,
    entryPoints,
    logLevel: 'silent',
    // esbuild itself would delete the last good bundle when a file has an error.
    write: false,
    plugins: [report],
  })
  await watching.watch()
  return () => watching.dispose()
}
