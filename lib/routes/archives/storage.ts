import { readStorage } from '../../access/storage/stored-items'
import { deleteArchive } from '../../archives/delete-archive'
import { storageOperations } from '../../contract/operations/storage'
import { route } from '../../http/route'
import { deleteJobFiles } from '../../jobs/lifecycle/delete-files'
import { diskSpace } from '../../storage/free-space'

export const storageRoutes = {
  get: route(storageOperations.get, ({ actor, query }) => readStorage(actor, query)),

  disk: route(storageOperations.disk, async () => {
    const { freeBytes, minFreeBytes, low } = await diskSpace()
    return { free_bytes: Number.isFinite(freeBytes) ? freeBytes : null, min_free_bytes: minFreeBytes, low }
  }),

  deleteJobFiles: route(storageOperations.deleteJobFiles, ({ actor, params }) =>
    deleteJobFiles(actor, params.id),
  ),

  deleteArchive: route(storageOperations.deleteArchive, ({ actor, params }) =>
    deleteArchive(actor, params.id),
  ),
}
