import { unavailable } from '../../contract/errors'
import { route } from '../../http/route'
import { competitionOperations } from '../operations'

const notYet = () => {
  throw unavailable('This does not exist yet.', 60)
}

export const setupRoutes = {
  list: route(competitionOperations.list, notYet),
  get: route(competitionOperations.get, notYet),
  put: route(competitionOperations.put, notYet),
}
