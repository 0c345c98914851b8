import { route } from '../http/route'
import { viewOperations } from './operations'
import { createView, deleteView, listViews, renameView, requireView } from './saved-views'

export const viewRoutes = {
  list: route(viewOperations.list, ({ actor }) => listViews(actor)),

  create: route(viewOperations.create, async ({ actor, body }) => createView(actor, await body())),

  update: route(viewOperations.update, async ({ actor, params, body }) => {
    await requireView(actor, params.id)
    const { name } = await body()
    return renameView(actor, params.id, name)
  }),

  remove: route(viewOperations.remove, ({ actor, params }) => deleteView(actor, params.id)),
}
