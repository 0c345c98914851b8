/** Prepares what gpuq needs to run: packages, a build, an engine, an image. Skips what already exists. */

import { createEngineClient } from '../engine/docker-api.mjs'
import { ensureEngine } from '../engine/engine.mjs'
import { describeImage, ensureImage } from '../image/image.mjs'
import {
  build,
  buildIsFresh,
  clientIsFresh,
  generateClient,
  generateRouteTypes,
  routeTypesAreFresh,
} from '../package/build.mjs'
import { installDependencies, packagesAreHere } from '../package/install.mjs'
import { Stopped } from './signals.mjs'

/**
 * @typedef {object} Preparing
 * @property {import('./report.mjs').Report} report
 * @property {AbortSignal} signal
 * @property {string} dataDir
 */

/**
 * Runs tracks concurrently. If one fails, aborts the others, waits for them, and throws the first error.
 * @param {AbortSignal} signal
 * @param {((signal: AbortSignal) => Promise<unknown>)[]} tracks
 */
export async function runTracks(signal, tracks) {
  const failing = new AbortController()
  const either = AbortSignal.any([signal, failing.signal])
  /** @type {unknown[]} */
  const errors = []
  const run = async (/** @type {(typeof tracks)[number]} */ track) => {
    try {
      await track(either)
    } catch (error) {
      errors.push(error)
      failing.abort(new Stopped())
    }
  }
  await Promise.all(tracks.map(run))
  if (errors.length > 0) throw errors[0]
}

/**
 * A step that is skipped if its result already exists.
 * @param {string} title
 * @param {() => boolean} isDone
 * @param {(options: { progress: (note: string) => void, signal: AbortSignal }) => Promise<void>} work
 */
const stepUnless =
  (title, isDone, work) =>
  /** @param {Omit<Preparing, 'dataDir'>} preparing */
  async ({ report, signal }) => {
    if (!isDone()) await report.step(title, (progress) => work({ progress, signal }))
  }

export const preparePackages = stepUnless('Packages', packagesAreHere, installDependencies)
export const prepareBuild = stepUnless('Build', buildIsFresh, build)
export const prepareRouteTypes = stepUnless('Types of the routes', routeTypesAreFresh, generateRouteTypes)
export const prepareClient = stepUnless('Prisma client', clientIsFresh, generateClient)

/**
 * @param {Preparing} preparing
 * @returns {Promise<import('../engine/engine.mjs').Engine>}
 */
export async function prepareEngine({ report, signal, dataDir }) {
  const work = (/** @type {(note: string) => void} */ progress) => ensureEngine({ dataDir, progress, signal })
  const describe = (/** @type {import('../engine/engine.mjs').Engine} */ engine) =>
    `${engine.version}${engine.ours ? ', started by gpuq' : ''}`
  const engine = await report.step('Docker engine', work, describe)
  // Programs that start later use the same engine.
  process.env.DOCKER_HOST = engine.host
  return engine
}

/**
 * @param {Preparing} preparing
 * @param {import('../engine/engine.mjs').Engine} engine
 */
export async function prepareImage({ report, signal }, engine) {
  const client = createEngineClient(engine.host)
  const image = process.env.GPUQ_DEFAULT_IMAGE || undefined
  await report.step(
    'Python image',
    (progress) => ensureImage({ client, image, progress, signal }),
    describeImage,
  )
}
