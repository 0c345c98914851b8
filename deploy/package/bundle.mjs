/** Bundles the programs. Each becomes one file in dist/. Next.js builds the pages and routes itself. */
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from '../run/settings.mjs'
import { bundleOptions } from './bundle-options.mjs'
import { packCommandLine } from './command-line-package.mjs'

await build({
  ...bundleOptions,
  entryPoints: {
    worker: 'worker/index.ts',
    web: 'deploy/run/web.ts',
    serve: 'deploy/run/serve.ts',
    setup: 'deploy/run/setup.ts',
    invite: 'deploy/run/invite.ts',
    backup: 'deploy/backup/main.ts',
    doctor: 'deploy/doctor/main.ts',
  },
})

// Split the command line, so that each command loads only its own code and `gpuq --help` starts fast. Here
// packages are bundled: `gpuq jobs` then starts in two thirds of the time (measured).
rmSync(join(root, 'dist', 'cli'), { recursive: true, force: true })
const { metafile } = await build({
  ...bundleOptions,
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
