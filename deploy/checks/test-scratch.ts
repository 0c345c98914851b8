/**
 * The directory that a check gets as its TMPDIR, for databases, data directories and the code of tasks. If a check is
 * killed, its processes and containers continue without a parent. This directory identifies them.
 */
import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createEngineClient } from '../engine/docker-api.mjs'
import { endProcess, processesOf } from '../run/processes.mjs'
import { type Container, mountsFrom } from './leftovers'

const run = promisify(execFile)

/** The label of a container that mounts nothing of the directory. */
const label = 'gpuq.test'
/** How long a process may take to end before it is killed. */
const graceMs = 2_000
/** A process may start another one just before it ends. */
const rounds = 5

/** A directory for all checks of a run. A database runs as another user, who must be able to enter it. */
export function createScratch(): string {
  const scratch = mkdtempSync(join(tmpdir(), 'gpuq-test-'))
  chmodSync(scratch, 0o711)
  return scratch
}

/** Runs a check with its own directory, and clears the directory even if the check fails. */
export async function withDirectory<T>(
  scratch: string,
  check: string,
  work: (directory: string) => Promise<T>,
  warn: (text: string) => void,
): Promise<T> {
  const directory = join(scratch, check)
  mkdirSync(directory)
  // Every user may write to it, as to other directories that TMPDIR names.
  chmodSync(directory, 0o1777)
  try {
    return await work(directory)
  } finally {
    await clearDirectory(directory, process.env.DOCKER_HOST).catch((error) =>
      warn(`Cannot remove everything that "${check}" created: ${error.message}`),
    )
  }
}

/**
 * Removes everything that was created in the directory: processes, containers and their networks, mounts and
 * files. `dockerHost` is undefined if there is no engine.
 */
export async function clearDirectory(directory: string, dockerHost: string | undefined): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const found = processesOf(directory)
    if (found.length === 0) break
    // The newest first: a database ends at once when its clients are gone.
    for (const { pid, identity } of found) await endProcess(pid, identity, graceMs)
  }
  if (dockerHost !== undefined) await removeContainers(directory, dockerHost)
  for (const path of mountsBelow(directory)) await run('umount', ['-l', path])
  rmSync(directory, { recursive: true, force: true })
}

async function removeContainers(directory: string, dockerHost: string): Promise<void> {
  const client = createEngineClient(dockerHost)
  const all: (Container & { Labels: Record<string, string> })[] = await client.call(
    'GET',
    '/containers/json?all=1',
  )
  const left = all.filter(
    (container) => mountsFrom(container, directory) || container.Labels[label] === directory,
  )
  for (const { Id } of left) await ignoreGone(client.call('DELETE', `/containers/${Id}?force=1&v=1`))
  const nodes = new Set(left.flatMap(({ Labels }) => Labels['gpuq.node'] ?? []))
  for (const node of nodes) {
    const filters = encodeURIComponent(JSON.stringify({ label: [`gpuq.node=${node}`] }))
    const networks: { Id: string }[] = await client.call('GET', `/networks?filters=${filters}`)
    for (const { Id } of networks) await ignoreGone(client.call('DELETE', `/networks/${Id}`))
  }
}

/** Something that is gone, or that another program is removing, needs no removal. */
async function ignoreGone(removing: Promise<unknown>): Promise<void> {
  await removing.catch((error) => {
    if (error.status !== 404 && error.status !== 409) throw error
  })
}

/** The mounts below the directory, the innermost first. */
function mountsBelow(directory: string): string[] {
  let table = ''
  try {
    table = readFileSync('/proc/self/mounts', 'utf8')
  } catch {
    // Not Linux: nothing was mounted.
  }
  const paths = table.split('\n').map((line) => line.split(' ')[1] ?? '')
  return paths.filter((path) => path.startsWith(`${directory}/`)).reverse()
}
