/** Says what gpuq installs on this machine, before it does. It uses only Node, because it runs before any package is installed. */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { createEngineClient } from '../../engine/docker-api.mjs'
import { planEngine } from '../../engine/engine.mjs'
import { findImage } from '../../image/image.mjs'
import { defaultImage } from '../../image/image-recipes.mjs'
import { buildIsFresh } from '../../package/build.mjs'
import { packagesAreHere } from '../../package/install.mjs'
import { root } from '../settings.mjs'

/**
 * @typedef {object} Missing what this machine does not have yet
 * @property {boolean} packages
 * @property {boolean} build
 * @property {boolean} engine a Docker engine, which gpuq installs
 * @property {string | null} image the default image
 * @property {boolean} [imageMayExist] the engine does not run yet, so it cannot say whether it has the image
 */

/**
 * What the command line needs.
 * @returns {Missing}
 */
export function findMissingCode() {
  return { packages: !packagesAreHere(), build: !buildIsFresh(), engine: false, image: null }
}

/**
 * What a start needs.
 * @param {string} dataDir
 * @returns {Promise<Missing>}
 */
export async function findMissing(dataDir) {
  const engine = await planEngine()
  const image = process.env.GPUQ_DEFAULT_IMAGE || defaultImage
  // An engine that is not running does not say which images it has. After a first start, it has this one.
  const hasImage =
    engine.action === 'use'
      ? (await findImage(createEngineClient(engine.host), image).catch(() => null)) !== null
      : existsSync(dataDir)
  return {
    ...findMissingCode(),
    engine: engine.action === 'start' && engine.install,
    image: hasImage ? null : image,
    imageMayExist: engine.action === 'start' && !engine.install,
  }
}

/**
 * The list of what gpuq installs, where, how large it is, and how to remove it; null: nothing.
 * @param {Missing} missing
 * @param {{ checkout?: string, dataDir: string | null, home?: string, hasLogin?: boolean }} places dataDir: null for a command that
 *   starts no server; hasLogin: whether the user has logged in to a gpuq before, which a removal must keep
 */
export function describeInstallation(
  { packages, build, engine, image, imageMayExist = false },
  { checkout = root, dataDir, home = homedir(), hasLogin = existsSync(`${home}/.config/gpuq`) },
) {
  const parts = [
    ...(packages ? [`packages from npm, with PostgreSQL: 1.2 GB in ${checkout}/node_modules`] : []),
    ...(build ? [`a build of gpuq: 550 MB in ${checkout}/.next and ${checkout}/dist`] : []),
    ...(engine ? ['the Docker engine: 260 MB with apt-get (docker.io and iptables)'] : []),
    ...(image
      ? [
          `the image ${image}${image === defaultImage ? ': 1.7 GB' : ''} in the Docker engine${imageMayExist ? ', unless it is there' : ''}`,
        ]
      : []),
  ]
  if (parts.length === 0) return null
  const elsewhere = dataDir !== null && !dataDir.startsWith(`${checkout}/`)
  const removals = [
    ...(dataDir === null ? [] : [`${checkout}/gpuq stop${elsewhere ? ` --data-dir ${dataDir}` : ''}`]),
    ...(image ? [`docker rmi ${image}`] : []),
    ...(engine ? ['apt-get purge docker.io'] : []),
    `rm -rf ${[checkout, ...(elsewhere ? [dataDir] : []), ...(hasLogin ? [] : [`${home}/.config/gpuq`])].join(' ')}`,
  ]
  return [
    '  gpuq installs what is missing on this machine, which takes some minutes:',
    ...parts.map((part) => `    ${part}`),
    ...(dataDir === null ? [] : [`  Its data will be in ${dataDir}.`]),
    `  To remove all of it later: ${removals.join(' && ')}`,
  ].join('\n')
}
