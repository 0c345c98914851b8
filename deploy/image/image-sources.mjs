/** Gets the default environment's image from a registry or builds it from Debian packages. */
import { createReadStream, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { findProgram, installPackages, mayInstall } from '../engine/debian.mjs'
import { runCommand } from '../run/processes.mjs'
import { formatBytes } from '../run/report.mjs'
import * as recipes from './image-recipes.mjs'
import { packDockerfile } from './tar.mjs'

/** How long to wait for a registry's answer. */
const registryMs = 8000
/** How long a pull may make no progress. After that, the image is built from packages. */
const pullIdleMs = 60_000

/**
 * @typedef {object} Making
 * @property {import('../engine/docker-api.mjs').EngineClient} client
 * @property {(note: string) => void} progress
 * @property {AbortSignal} [signal]
 */

/**
 * @param {Making} making
 * @param {string} image
 */
export async function pullImage({ client, progress, signal }, image) {
  const path = `/images/create?fromImage=${encodeURIComponent(image)}`
  try {
    await client.follow('POST', path, { signal, idleMs: pullIdleMs }, recipes.followEngine(progress))
  } catch (cause) {
    signal?.throwIfAborted()
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`Cannot pull GPUQ_DEFAULT_IMAGE (${image}), and the engine does not have it: ${why}`, {
      cause,
    })
  }
}

/**
 * @param {Making} making
 * @param {string} architecture
 * @returns {Promise<string | { reason: string }>} the image's id, or why there is none
 */
export async function buildFromRegistry({ client, progress, signal }, architecture) {
  const { base, dockerfile } = recipes.registryRecipe(architecture)
  progress('contacting the registry')
  let id = ''
  const limit = AbortSignal.timeout(registryMs)
  try {
    const either = signal ? AbortSignal.any([signal, limit]) : limit
    await client.call('GET', `/distribution/${base}/json`, { signal: either })
    const follow = recipes.followEngine(progress)
    const body = packDockerfile(dockerfile)
    const options = { body, type: 'application/x-tar', signal, idleMs: 10 * pullIdleMs }
    await client.follow('POST', '/build?rm=1&forcerm=1', options, (message) => {
      if (message.aux?.ID) id = message.aux.ID
      follow(message)
    })
    return id
  } catch (error) {
    signal?.throwIfAborted()
    if (limit.aborted) return { reason: `no answer within ${registryMs / 1000} s` }
    return { reason: error instanceof Error ? error.message : String(error) }
  }
}

/**
 * @param {Making} making
 * @param {string} architecture
 * @param {string} reason why no registry helped
 * @returns {Promise<string>} the image's id
 */
export async function buildFromPackages({ client, progress, signal }, architecture, reason) {
  const directory = cacheDirectory()
  const rootfs = join(directory, recipes.cachedRootfsName(architecture))
  if (!existsSync(rootfs)) {
    await ensureDebootstrap(progress, reason)
    const unfinished = `${rootfs}.${process.pid}`
    try {
      await runCommand('mmdebstrap', [...recipes.debianArguments, unfinished], {
        signal,
        // As root, use the target directory for temporary files, because /tmp may be small. Other users need
        // a directory that mmdebstrap's subordinate users can access.
        env: { ...process.env, ...(process.getuid?.() === 0 ? { TMPDIR: directory } : {}) },
        onLine: recipes.followDebian(progress),
      })
      renameSync(unfinished, rootfs)
    } finally {
      rmSync(unfinished, { force: true })
    }
  }
  return importRootfs({ client, progress, signal }, rootfs)
}

/**
 * @param {(note: string) => void} progress
 * @param {string} reason
 */
async function ensureDebootstrap(progress, reason) {
  if (findProgram('mmdebstrap')) return
  if (mayInstall()) return installPackages(['mmdebstrap', 'debian-archive-keyring'], progress)
  throw new Error(
    [
      `Cannot create the default environment's image ${recipes.defaultImage}.`,
      `The registry is not available: ${reason}`,
      'Building it from Debian packages needs mmdebstrap. Do one of the following:',
      '',
      '  install it (Debian, Ubuntu):    sudo apt-get install -y mmdebstrap debian-archive-keyring',
      `  copy it from another machine:   docker save ${recipes.defaultImage} | ssh HERE docker load`,
      '  use your own image:             GPUQ_DEFAULT_IMAGE=NAME (with Python and the packages of your jobs)',
      '',
      'Then run the command again.',
    ].join('\n'),
  )
}

/**
 * @param {Making} making
 * @param {string} rootfs
 * @returns {Promise<string>}
 */
async function importRootfs({ client, progress, signal }, rootfs) {
  const total = statSync(rootfs).size
  const body = createReadStream(rootfs)
  let sent = 0
  body.on('data', (piece) => {
    sent += piece.length
    progress(`loading ${formatBytes(sent)} of ${formatBytes(total)}`)
  })
  const changes = recipes.debianConfiguration.map((change) => `&changes=${encodeURIComponent(change)}`)
  let id = ''
  const path = `/images/create?fromSrc=-${changes.join('')}`
  await client.follow('POST', path, { body, type: 'application/x-tar', signal }, (message) => {
    if (message.status) id = message.status
  })
  return id
}

/** The cache directory for the built file system. */
function cacheDirectory() {
  const directory = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'gpuq')
  mkdirSync(directory, { recursive: true })
  return directory
}
