import { route } from '../http/route'
import { deleteCheckpoints } from './delete-checkpoints'
import { checkpointOperations } from './operations'

export const checkpointRoutes = {
  deleteCheckpoints: route(checkpointOperations.deleteCheckpoints, ({ actor, params }) =>
    deleteCheckpoints(actor, { projectId: params.id, run: params.run }),
  ),
}
