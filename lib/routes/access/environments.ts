import { createEnvironment, listEnvironments, updateEnvironment } from '../../access/environments'
import { environmentOperations } from '../../contract/operations/access'
import { route } from '../../http/route'

export const environmentRoutes = {
  list: route(environmentOperations.list, ({ actor }) => listEnvironments(actor)),

  create: route(environmentOperations.create, async ({ actor, body, answer }) => {
    const environment = await createEnvironment(actor, await body())
    return answer(environment, { headers: { location: `/api/environments/${environment.name}` } })
  }),

  update: route(environmentOperations.update, async ({ actor, params, body }) =>
    updateEnvironment(actor, params.name, await body()),
  ),
}
