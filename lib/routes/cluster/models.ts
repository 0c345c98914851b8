import { modelOperations } from '../../contract/operations/cluster'
import { route } from '../../http/route'
import { readModels, replaceModels } from '../../jobs/submission/model-table'

export const modelRoutes = {
  models: route(modelOperations.models, () => readModels()),

  replaceModels: route(modelOperations.replaceModels, async ({ actor, body }) =>
    replaceModels(actor, await body()),
  ),
}
