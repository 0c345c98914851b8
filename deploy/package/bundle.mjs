/** Bundles the programs that are not the web: each becomes one file in dist/ that Node runs as it is. */
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
    serve: 'deploy/run/serve.ts',
    setup: 'deploy/run/setup.ts',
    invite: 'deploy/run/invite.ts',
  },
})

// The command line is split: each command loads its own part, so that `gpuq --help` loads next to nothing. Its packages are
// bundled, unlike the others': measured, `gpuq jobs` starts in two thirds of the time.
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
  // Some of the packages are CommonJS, and ask for Node's own modules.
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
})
chmodSync(join(root, 'dist', 'cli.js'), 0o755)
writeFileSync(join(root, 'dist', 'gpuq.tgz'), packCommandLine(root, metafile))
