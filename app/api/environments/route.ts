import { createEnvironment, listEnvironments } from '@/lib/access/environments'
import { environmentOperations } from '@/lib/contract/operations/access'
import { route } from '@/lib/http/route'

export const GET = route(environmentOperations.list, ({ actor }) => listEnvironments(actor))

export const POST = route(environmentOperations.create, async ({ actor, body, answer }) => {
  const environment = await createEnvironment(actor, await body())
  return answer(environment, { headers: { location: `/api/environments/${environment.name}` } })
})
