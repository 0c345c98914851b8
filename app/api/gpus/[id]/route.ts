import { forgetGpu } from '@/lib/cluster/admin/forget'
import { updateGpu } from '@/lib/cluster/admin/node-actions'
import { updateGpuSchema } from '@/lib/contract/cluster'
import { readJson, route } from '@/lib/http/route'

export const PATCH = route<{ id: string }>('admin', async ({ actor, request, params }) => {
  const changes = await readJson(request, updateGpuSchema)
  return Response.json(await updateGpu(actor, params.id, changes))
})

export const DELETE = route<{ id: string }>('admin', async ({ actor, params }) => {
  await forgetGpu(actor, params.id)
  return new Response(null, { status: 204 })
})
