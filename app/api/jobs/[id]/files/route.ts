import { storageOperations } from '@/lib/contract/operations/storage'
import { route } from '@/lib/http/route'
import { deleteJobFiles } from '@/lib/jobs/lifecycle/delete-files'

export const DELETE = route(storageOperations.deleteJobFiles, ({ actor, params }) =>
  deleteJobFiles(actor, params.id),
)
