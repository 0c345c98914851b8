/** Makes ready what checks need: packages, the database client, an engine, an image, a browser. */
import { generateClient } from '../package/build.mjs'
import { prepareEngine, prepareImage, preparePackages } from '../run/prepare.mjs'
import { ensureBrowser } from './browser.mjs'

/** @typedef {import('../engine/engine.mjs').Engine} Engine */

/**
 * Begins all that is needed, and tells by name when each has come to its end, well or not.
 * @param {object} options
 * @param {import('../run/report.mjs').Report} options.report
 * @param {AbortSignal} options.signal
 * @param {string} options.dataDir
 * @param {Set<string>} options.needed
 * @param {(engine: Engine) => void} options.onEngine
 * @param {<T>(name: string, work: () => Promise<T>) => Promise<T | undefined>} options.attempt notes what failed
 * @returns {Map<string, Promise<unknown>>}
 */
export function beginPreparing({ report, signal, dataDir, needed, onEngine, attempt }) {
  /** @type {Map<string, Promise<unknown>>} */
  const begun = new Map()
  /**
   * @template T
   * @param {string} name
   * @param {Promise<unknown>} before
   * @param {() => Promise<T>} work
   */
  const begin = (name, before, work) => {
    const done = needed.has(name) ? before.then(() => attempt(name, work)) : Promise.resolve(undefined)
    begun.set(name, done)
    return done
  }
  const packages = begin('packages', Promise.resolve(), () => preparePackages({ report, signal }))
  begin('client', packages, () =>
    report.step('Prisma client', () => generateClient({ progress: () => {}, signal })),
  )
  // One after the other: each may install packages of the system.
  const engine = begin('engine', Promise.resolve(), async () => {
    const found = await prepareEngine({ report, signal, dataDir })
    onEngine(found)
    return found
  })
  const image = begin('image', engine, async () => {
    const found = await engine
    if (!found) throw new Error('There is no engine to load it into.')
    await prepareImage({ report, signal, dataDir }, found)
  })
  begin('browser', image, async () => {
    const path = await report.step(
      'Browser',
      (progress) => ensureBrowser({ progress }),
      (path) => path,
    )
    process.env.CHROMIUM_PATH = path
  })
  return begun
}
