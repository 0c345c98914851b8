/**
 * Where a check puts what it makes, as its TMPDIR: databases, data directories, code of tasks. A check that was ended
 * leaves things behind that are nobody's children any more; by this directory they are known.
 */
import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createEngineClient } from '../engine/docker-api.mjs'
import { endProcess, processesOf } from '../run/processes.mjs'
import { mountsFrom } from './leftovers.mjs'

const run = promisify(execFile)

/** Its label on a container that mounts nothing of the directory. */
const label = 'gpuq.test'
/** What was told to end before, and has not, has so long again. */
const graceMs = 2_000
/** What is ended may have started another a moment before. */
const rounds = 5

/** A directory for all checks of a run. A database's own user must be able to walk through it. */
export function createScratch() {
  const scratch = mkdtempSync(join(tmpdir(), 'gpuq-test-'))
  chmodSync(scratch, 0o711)
  return scratch
}

/**
 * Runs a check with a directory of its own, and clears it, whatever came of the check.
 * @template T
 * @param {string} scratch
 * @param {string} check
 * @param {(directory: string) => Promise<T>} work
 * @param {(text: string) => void} warn
 * @returns {Promise<T>}
 */
export async function withDirectory(scratch, check, work, warn) {
  const directory = join(scratch, check)
  mkdirSync(directory)
  // Open to every user, as what TMPDIR names is.
  chmodSync(directory, 0o1777)
  try {
    return await work(directory)
  } finally {
    await clearDirectory(directory, process.env.DOCKER_HOST).catch((error) =>
      warn(`What "${check}" left could not be cleared: ${error.message}`),
    )
  }
}

/**
 * Ends and removes all that was made in the directory: processes, containers and their networks, mounts, files.
 * @param {string} directory
 * @param {string | undefined} dockerHost undefined: no engine was there
 */
export async function clearDirectory(directory, dockerHost) {
  for (let round = 0; round < rounds; round++) {
    const found = processesOf(directory)
    if (found.length === 0) break
    // The last first: a database ends at once when those who talk to it are gone.
    for (const { pid, identity } of found) await endProcess(pid, identity, graceMs)
  }
  if (dockerHost !== undefined) await removeContainers(directory, dockerHost)
  for (const path of mountsBelow(directory)) await run('umount', ['-l', path])
  rmSync(directory, { recursive: true, force: true })
}

/**
 * @param {string} directory
 * @param {string} dockerHost
 */
async function removeContainers(directory, dockerHost) {
  const client = createEngineClient(dockerHost)
  /** @type {(import('./leftovers.mjs').Container & { Labels: Record<string, string> })[]} */
  const all = await client.call('GET', '/containers/json?all=1')
  const left = all.filter(
    (container) => mountsFrom(container, directory) || container.Labels[label] === directory,
  )
  for (const { Id } of left) await gone(client.call('DELETE', `/containers/${Id}?force=1&v=1`))
  const nodes = new Set(left.flatMap(({ Labels }) => Labels['gpuq.node'] ?? []))
  for (const node of nodes) {
    const filters = encodeURIComponent(JSON.stringify({ label: [`gpuq.node=${node}`] }))
    /** @type {{ Id: string }[]} */
    const networks = await client.call('GET', `/networks?filters=${filters}`)
    for (const { Id } of networks) await gone(client.call('DELETE', `/networks/${Id}`))
  }
}

/**
 * What is gone, or is being removed by somebody else, is as wanted.
 * @param {Promise<unknown>} removing
 */
async function gone(removing) {
  await removing.catch((error) => {
    if (error.status !== 404 && error.status !== 409) throw error
  })
}

/**
 * The innermost first.
 * @param {string} directory
 */
function mountsBelow(directory) {
  let table = ''
  try {
    table = readFileSync('/proc/self/mounts', 'utf8')
  } catch {
    // Not Linux: nothing was mounted.
  }
  const paths = table.split('\n').map((line) => line.split(' ')[1] ?? '')
  return paths.filter((path) => path.startsWith(`${directory}/`)).reverse()
}
