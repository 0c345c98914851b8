import { parseSnapshot, refuseSnapshot, type SnapshotReference } from '@/lib/contract/archives/snapshot-name'
import { invalidRequest, notFound } from '@/lib/contract/errors'
import type { Client } from '@/lib/http/client/client'
import type { Snapshot } from '@/lib/snapshots/contract'
import { readPages } from '../job/read-pages'

/** More versions than a project can have. */
const maxVersions = 100_000

/** @throws GpuqError if the text is neither a name nor `name@version`. */
export function requireReference(given: string): SnapshotReference {
  const reference = parseSnapshot(given)
  if (reference) return reference
  throw invalidRequest(`"${given}" is not the name of a snapshot: it ${refuseSnapshot(given)}.`)
}

interface InProject {
  client: Client
  /** The id of the project, as in /api/projects/ID. */
  projectId: string
}

/** Finds one version: the named one, otherwise the newest. @throws GpuqError if there is none. */
export async function findSnapshot({ client, projectId }: InProject, given: string): Promise<Snapshot> {
  const { name, version } = requireReference(given)
  const [snapshot] = (await client.snapshots.versions(projectId, { name, version, limit: 1 })).items
  if (snapshot) return snapshot
  throw noSnapshot(given)
}

/** Finds one version, or all versions of a name, newest first. @throws GpuqError if there is none. */
export async function findVersions({ client, projectId }: InProject, given: string): Promise<Snapshot[]> {
  const { name, version } = requireReference(given)
  const found = await readPages(maxVersions, (page) =>
    client.snapshots.versions(projectId, { ...page, name, version }),
  )
  if (found.length === 0) throw noSnapshot(given)
  return found
}

const noSnapshot = (given: string) =>
  notFound(`The project has no snapshot ${given}. See \`gpuq snapshots\`, or choose another --project.`)
