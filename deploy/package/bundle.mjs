/** Bundles the programs. They go to dist/. Next.js builds the pages and routes itself. */
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from '../run/settings.mjs'
import { bundleOptions, commandLine } from './bundle-options.mjs'
import { bundleWorker } from './bundle-worker.mjs'
import { packCommandLine } from './command-line-package.mjs'

await build({
  ...bundleOptions,
  entryPoints: {
    web: 'deploy/run/web.ts',
    serve: 'deploy/run/serve.ts',
    setup: 'deploy/run/first-start/setup.ts',
    stop: 'deploy/run/stop.ts',
    invite: 'deploy/run/invite.ts',
    backup: 'deploy/backup/main.ts',
    doctor: 'deploy/doctor/main.ts',
  },
})

for (const chunks of ['cli', 'worker']) rmSync(join(root, 'dist', chunks), { recursive: true, force: true })

await bundleWorker(join(root, 'dist'))

const { metafile } = await build({ ...commandLine, metafile: true })
chmodSync(join(root, 'dist', 'cli.js'), 0o755)
writeFileSync(join(root, 'dist', 'gpuq.tgz'), packCommandLine(root, metafile))
