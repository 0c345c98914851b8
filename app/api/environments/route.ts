import { createEnvironment, listEnvironments } from '@/lib/access/environments'
import { createEnvironmentSchema } from '@/lib/contract/access'
import { readJson, route } from '@/lib/http/route'

export const GET = route('read', async ({ actor }) => Response.json(await listEnvironments(actor)))

export const POST = route('admin', async ({ actor, request }) => {
  const environment = await createEnvironment(actor, await readJson(request, createEnvironmentSchema))
  return Response.json(environment, {
    status: 201,
    headers: { location: `/api/environments/${environment.name}` },
  })
})
