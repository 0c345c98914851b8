import { deleteArchive } from '@/lib/archives/delete-archive'
import { storageOperations } from '@/lib/contract/operations/storage'
import { route } from '@/lib/http/route'

export const DELETE = route(storageOperations.deleteArchive, ({ actor, params }) =>
  deleteArchive(actor, params.id),
)
