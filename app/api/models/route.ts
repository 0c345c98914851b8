import { modelOperations } from '@/lib/contract/operations/cluster'
import { route } from '@/lib/http/route'
import { readModels, replaceModels } from '@/lib/jobs/submission/model-table'

export const GET = route(modelOperations.models, () => readModels())

export const PUT = route(modelOperations.replaceModels, async ({ actor, body }) =>
  replaceModels(actor, await body()),
)
