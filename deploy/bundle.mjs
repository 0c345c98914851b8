/** Bundles the programs that are not the web: each becomes one file in dist/ that Node runs as it is. */
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from './settings.mjs'

await build({
  absWorkingDir: root,
  entryPoints: { worker: 'worker/index.ts', serve: 'deploy/serve.ts', setup: 'deploy/setup.ts' },
  outdir: join(root, 'dist'),
  platform: 'node',
  target: 'node20',
  format: 'esm',
  bundle: true,
  // Packages stay in node_modules: native ones cannot be bundled, and the others start no slower from there.
  packages: 'external',
  sourcemap: 'linked',
  logLevel: 'warning',
})
