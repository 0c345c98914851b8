/** `npm start`: prepares what is missing, then runs gpuq until Ctrl-C. */
import { join } from 'node:path'
import { launch } from './launch.mjs'
import { prepareBuild, preparePackages } from './prepare.mjs'
import { root } from './settings.mjs'

await launch({
  title: 'gpuq',
  mode: 'production',
  async prepareCode(preparing) {
    await preparePackages(preparing)
    await prepareBuild(preparing)
    return { serve: join(root, 'dist', 'serve.js') }
  },
})
