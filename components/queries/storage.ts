import { queryOptions } from '@tanstack/react-query'
import type { StoredItem } from '@/lib/contract/access/storage'
import { api, changing, keys } from './queries'

const diskMs = 60_000
/** The leader deletes checkpoints on a shared disk within a minute or two. */
const deletingMs = 10_000

/** What the user has stored, and the largest of it. */
export const storageQuery = () =>
  queryOptions({
    queryKey: [...keys.storage, 'own'],
    queryFn: ({ signal }) => api.storage.get({}, signal),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(({ deleting }) => deleting) ? deletingMs : false,
  })

/** The free space of the server, for admins. */
export const diskQuery = () =>
  queryOptions({
    queryKey: [...keys.storage, 'disk'],
    queryFn: ({ signal }) => api.storage.disk(signal),
    refetchInterval: diskMs,
  })

export const deleteJobFiles = changing(
  (id: string) => api.storage.deleteJobFiles(id),
  keys.storage,
  keys.jobs,
  keys.users,
  keys.projects,
)

export const deleteStoredItem = changing(
  (item: StoredItem) => removeItem(item),
  keys.storage,
  keys.jobs,
  keys.users,
  keys.projects,
)

function removeItem({ kind, id, project }: StoredItem): Promise<void> {
  switch (kind) {
    case 'job':
      return api.storage.deleteJobFiles(id)
    case 'archive':
      return api.storage.deleteArchive(id)
    case 'checkpoints':
      return api.storage.deleteCheckpoints(project, id)
    default:
      return kind satisfies never
  }
}
