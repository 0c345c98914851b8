import { deleteCheckpoints } from '@/lib/cluster/checkpoints/delete-checkpoints'
import { storageOperations } from '@/lib/contract/operations/storage'
import { route } from '@/lib/http/route'

export const DELETE = route(storageOperations.deleteCheckpoints, ({ actor, params }) =>
  deleteCheckpoints(actor, { projectId: params.id, run: params.run }),
)
