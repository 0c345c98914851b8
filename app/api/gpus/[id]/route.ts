import { updateGpu } from '@/lib/cluster/node-actions'
import { updateGpuSchema } from '@/lib/cluster/schemas'
import { readJson, route } from '@/lib/http/route'

export const PATCH = route<{ id: string }>('admin', async ({ actor, request, params }) => {
  const changes = await readJson(request, updateGpuSchema)
  return Response.json(await updateGpu(actor, params.id, changes))
})
