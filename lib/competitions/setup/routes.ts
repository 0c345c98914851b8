import { unavailable } from '../../contract/errors'
import { route } from '../../http/route'
import { competitionOperations } from '../operations'
import { getCompetition, listCompetitions } from './read-competition'

export const setupRoutes = {
  list: route(competitionOperations.list, ({ actor, query }) => listCompetitions(actor, query)),

  get: route(competitionOperations.get, ({ actor, params }) => getCompetition(actor, params.id)),

  put: route(competitionOperations.put, () => {
    throw unavailable('This does not exist yet.', 60)
  }),
}
