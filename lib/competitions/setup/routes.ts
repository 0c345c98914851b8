import { route } from '../../http/route'
import { competitionOperations } from '../operations'
import { putCompetition } from './put-competition'
import { getCompetition, listCompetitions } from './read-competition'

export const setupRoutes = {
  list: route(competitionOperations.list, ({ actor, query }) => listCompetitions(actor, query)),

  get: route(competitionOperations.get, ({ actor, params }) => getCompetition(actor, params.id)),

  put: route(competitionOperations.put, async ({ actor, params, query, body }) =>
    putCompetition(actor, params.id, await body(), query.dry_run),
  ),
}
