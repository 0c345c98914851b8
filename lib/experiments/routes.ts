import { route } from '../http/route'
import { listExperiments, readPlace } from './experiments'
import { experimentOperations } from './operations'

export const experimentRoutes = {
  list: route(experimentOperations.list, ({ actor, query }) => listExperiments(actor, query)),

  get: route(experimentOperations.get, ({ actor, params }) => readPlace(actor, params.id)),
}
