import { forgetNode } from '@/lib/cluster/forget'
import { updateNode } from '@/lib/cluster/node-actions'
import { updateNodeSchema } from '@/lib/cluster/schemas'
import { readJson, route } from '@/lib/http/route'

export const PATCH = route<{ id: string }>('admin', async ({ actor, request, params }) => {
  const changes = await readJson(request, updateNodeSchema)
  return Response.json(await updateNode(actor, params.id, changes))
})

export const DELETE = route<{ id: string }>('admin', async ({ actor, params }) => {
  await forgetNode(actor, params.id)
  return new Response(null, { status: 204 })
})
