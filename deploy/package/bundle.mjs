/** Bundles the programs other than the web server. Each becomes one file in dist/. */
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from '../run/settings.mjs'
import { packCommandLine } from './command-line-package.mjs'

/** @type {import('esbuild').BuildOptions} */
const shared = {
  absWorkingDir: root,
  outdir: join(root, 'dist'),
  platform: 'node',
  target: 'node20',
  format: 'esm',
  bundle: true,
  // Keep packages in node_modules: native ones cannot be bundled, and the others do not start faster when
  // bundled.
  packages: 'external',
  sourcemap: 'linked',
  logLevel: 'warning',
}

await build({
  ...shared,
  entryPoints: {
    worker: 'worker/index.ts',
    serve: 'deploy/run/serve.ts',
    setup: 'deploy/run/setup.ts',
    invite: 'deploy/run/invite.ts',
  },
})

// Split the command line, so that each command loads only its own code and `gpuq --help` starts fast. Here
// packages are bundled: `gpuq jobs` then starts in two thirds of the time (measured).
rmSync(join(root, 'dist', 'cli'), { recursive: true, force: true })
const { metafile } = await build({
  ...shared,
  packages: 'bundle',
  minifyWhitespace: true,
  minifySyntax: true,
  entryPoints: { cli: 'cli/index.ts' },
  splitting: true,
  metafile: true,
  chunkNames: 'cli/[name]-[hash]',
  // Some packages are CommonJS and call require() for Node's modules.
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
})
chmodSync(join(root, 'dist', 'cli.js'), 0o755)
writeFileSync(join(root, 'dist', 'gpuq.tgz'), packCommandLine(root, metafile))
