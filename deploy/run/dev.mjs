/** `npm run dev`: the complete system with hot reload, until Ctrl-C. */
import { launch } from './launch.mjs'
import { prepareClient, preparePackages } from './prepare.mjs'

// Turbopack writes its file-system cache only after some minutes, so a short session would leave the next start without
// one. It writes only while it has nothing to compile. A version of Next.js that does not know these names ignores them.
process.env.TURBO_ENGINE_SNAPSHOT_IDLE_TIMEOUT_MILLIS ||= '2000'
process.env.TURBO_ENGINE_SNAPSHOT_MIN_ACTIVE_TIME_MILLIS ||= '0'

await launch({
  title: 'gpuq, for development',
  mode: 'development',
  async prepareCode(preparing) {
    await preparePackages(preparing)
    await prepareClient(preparing)
    return preparing.report.step('Bundles', () => prepareBundles(preparing.report))
  },
})

/**
 * Bundles the programs, and restarts the worker after each change of its files.
 * @param {import('./report.mjs').Report} report
 * @returns {Promise<import('./launch.mjs').Code>}
 */
async function prepareBundles(report) {
  // The bundler is one of the packages: it may have been missing until now.
  const { bundleServe, watchWorker } = await import('../package/development.mjs')
  /** @type {import('./serve.ts').Programs | undefined} */
  let programs
  /** @type {(problem: string | null) => void} */
  let settleFirst = () => {}
  const first = new Promise((resolve, reject) => {
    settleFirst = (problem) => (problem === null ? resolve(null) : reject(new Error(problem)))
  })
  const dispose = await watchWorker({
    onBundle(problem) {
      settleFirst(problem)
      if (problem !== null)
        report.warn(`Cannot bundle the worker; the previous version keeps running.\n${problem}`)
      else if (programs) {
        report.line('  Worker changed; restarting it')
        programs.restartWorker()
      }
    },
  })
  const [serve] = await Promise.all([bundleServe(), first])
  return {
    serve,
    dispose,
    onPrograms(started) {
      programs = started
    },
  }
}
