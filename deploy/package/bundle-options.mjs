import { join } from 'node:path'
import { root } from '../run/settings.mjs'

/** @type {import('esbuild').BuildOptions} */
export const bundleOptions = {
  absWorkingDir: root,
  outdir: join(root, 'dist'),
  platform: 'node',
  target: 'node20',
  format: 'esm',
  bundle: true,
  // Packages stay in node_modules: native ones cannot be bundled, and the others start no slower from there.
  packages: 'external',
  sourcemap: 'linked',
  logLevel: 'warning',
}
