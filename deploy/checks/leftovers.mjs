/** Containers that a worker could not take with it, because it was killed. */
import { join, sep } from 'node:path'
import { createEngineClient } from '../engine/docker-api.mjs'

/** @typedef {{ Id: string, Mounts: { Source?: string }[] }} Container */

/**
 * Which containers run a task of this data directory: theirs is the code that is mounted.
 * @param {Container[]} containers
 * @param {string} dataDir
 */
export function containersOf(containers, dataDir) {
  return containers.filter((container) => mountsFrom(container, join(dataDir, 'tasks')))
}

/**
 * Whether something below the directory is mounted in the container.
 * @param {Pick<Container, 'Mounts'>} container
 * @param {string} directory
 */
export function mountsFrom({ Mounts }, directory) {
  return Mounts.some(({ Source }) => Source?.startsWith(`${directory}${sep}`))
}

/**
 * Removes what is left of this data directory's tasks.
 * @param {string} dockerHost
 * @param {string} dataDir
 */
export async function removeLeftovers(dockerHost, dataDir) {
  const client = createEngineClient(dockerHost)
  const filters = encodeURIComponent(JSON.stringify({ label: ['gpuq.task'] }))
  const containers = await client.call('GET', `/containers/json?all=1&filters=${filters}`)
  for (const { Id } of containersOf(containers, dataDir)) {
    await client.call('DELETE', `/containers/${Id}?force=1&v=1`)
  }
}
