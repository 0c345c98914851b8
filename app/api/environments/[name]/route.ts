import { updateEnvironment } from '@/lib/access/environments'
import { updateEnvironmentSchema } from '@/lib/contract/access'
import { readJson, route } from '@/lib/http/route'

export const PATCH = route<{ name: string }>('admin', async ({ actor, request, params }) => {
  const changes = await readJson(request, updateEnvironmentSchema)
  return Response.json(await updateEnvironment(actor, params.name, changes))
})
