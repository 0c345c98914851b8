import { join, sep } from 'node:path'
import { createEngineClient } from '../engine/docker-api.mjs'

export interface Container {
  Id: string
  Mounts: { Source?: string }[]
}

/** The containers that run a task of this data directory: they mount the task's code. */
export function containersOf(containers: readonly Container[], dataDir: string): Container[] {
  return containers.filter((container) => mountsFrom(container, join(dataDir, 'tasks')))
}

/** Whether the container mounts something below the directory. */
export function mountsFrom({ Mounts }: Pick<Container, 'Mounts'>, directory: string): boolean {
  return Mounts.some(({ Source }) => Source?.startsWith(`${directory}${sep}`))
}

/** The containers of this data directory's tasks, running or not. */
export async function listJobContainers(dockerHost: string, dataDir: string): Promise<Container[]> {
  const filters = encodeURIComponent(JSON.stringify({ label: ['gpuq.node'] }))
  const client = createEngineClient(dockerHost)
  return containersOf(await client.call('GET', `/containers/json?all=1&filters=${filters}`), dataDir)
}

/** Removes the containers of this data directory's tasks, and those that wait for one. A worker that was killed leaves them behind. */
export async function removeLeftovers(dockerHost: string, dataDir: string): Promise<void> {
  const client = createEngineClient(dockerHost)
  for (const { Id } of await listJobContainers(dockerHost, dataDir)) {
    await client.call('DELETE', `/containers/${Id}?force=1&v=1`)
  }
}
