import { modelTableSchema } from '@/lib/contract/cluster'
import { readJson, route } from '@/lib/http/route'
import { readModels, replaceModels } from '@/lib/jobs/submission/model-table'

export const GET = route('read', async () => Response.json(await readModels()))

/** Puts another table in place of the one there is. */
export const PUT = route('admin', async ({ actor, request }) =>
  Response.json(await replaceModels(actor, await readJson(request, modelTableSchema))),
)
