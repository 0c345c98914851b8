import { readPolicy, toWirePolicy, updatePolicy } from '@/lib/cluster/admin/policy'
import { updatePolicySchema } from '@/lib/contract/cluster'
import { readJson, route } from '@/lib/http/route'

export const GET = route('read', async () => Response.json(toWirePolicy(await readPolicy())))

/** Changes the policy; what is left out stays. */
export const PUT = route('admin', async ({ actor, request }) => {
  const changes = await readJson(request, updatePolicySchema)
  return Response.json(toWirePolicy(await updatePolicy(actor, changes)))
})
