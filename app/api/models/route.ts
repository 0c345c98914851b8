import { readModels, replaceModels } from '@/lib/cluster/models'
import { modelTableSchema } from '@/lib/cluster/schemas'
import { readJson, route } from '@/lib/http/route'

export const GET = route('read', async () => Response.json(await readModels()))

/** Puts another table in place of the one there is. */
export const PUT = route('admin', async ({ actor, request }) =>
  Response.json(await replaceModels(actor, await readJson(request, modelTableSchema))),
)
