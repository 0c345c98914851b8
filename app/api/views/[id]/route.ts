import { viewOperations } from '@/lib/contract/operations/views'
import { route } from '@/lib/http/route'
import { deleteView, renameView, requireView } from '@/lib/jobs/views/saved-views'

export const PATCH = route(viewOperations.update, async ({ actor, params, body }) => {
  await requireView(actor, params.id)
  const { name } = await body()
  return renameView(actor, params.id, name)
})

export const DELETE = route(viewOperations.remove, ({ actor, params }) => deleteView(actor, params.id))
