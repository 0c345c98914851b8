import { forgetNode } from '@/lib/cluster/admin/forget'
import { updateNode } from '@/lib/cluster/admin/node-actions'
import { updateNodeSchema } from '@/lib/contract/cluster'
import { readJson, route } from '@/lib/http/route'

export const PATCH = route<{ id: string }>('admin', async ({ actor, request, params }) => {
  const changes = await readJson(request, updateNodeSchema)
  return Response.json(await updateNode(actor, params.id, changes))
})

export const DELETE = route<{ id: string }>('admin', async ({ actor, params }) => {
  await forgetNode(actor, params.id)
  return new Response(null, { status: 204 })
})
