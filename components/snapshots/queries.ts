import { queryOptions } from '@tanstack/react-query'
import { api, changing, keys, listQuery } from '../queries/queries'

/** The newest version of each snapshot that a project may use. */
export const snapshotsQuery = (projectId: string) =>
  listQuery([...keys.snapshots, projectId], (cursor, signal) =>
    api.snapshots.list(projectId, { cursor }, signal),
  )

/** The versions of a snapshot, newest first. */
export const versionsQuery = (projectId: string, name: string) =>
  listQuery([...keys.snapshots, projectId, name], (cursor, signal) =>
    api.snapshots.versions(projectId, { name, cursor }, signal),
  )

/** What differs between two versions. They never change, so that no other change makes this stale. */
export const changesQuery = (from: string, to: string) =>
  queryOptions({
    queryKey: ['snapshot-changes', from, to],
    queryFn: ({ signal }) => api.snapshots.changes(to, { since: from }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const shareSnapshot = changing(
  ({ id, shared }: { id: string; shared: boolean }) => api.snapshots.update(id, { shared }),
  keys.snapshots,
)

export const deleteSnapshot = changing(
  (id: string) => api.snapshots.remove(id),
  keys.snapshots,
  keys.storage,
  keys.projects,
)

export const deleteAllVersions = changing(
  ({ projectId, name }: { projectId: string; name: string }) => api.snapshots.removeAll(projectId, { name }),
  keys.snapshots,
  keys.storage,
  keys.projects,
)
