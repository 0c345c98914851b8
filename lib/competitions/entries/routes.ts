import { unavailable } from '../../contract/errors'
import { route } from '../../http/route'
import { entryOperations } from '../operations'

const notYet = () => {
  throw unavailable('This does not exist yet.', 60)
}

export const entryRoutes = {
  list: route(entryOperations.list, notYet),
  own: route(entryOperations.own, notYet),
  get: route(entryOperations.get, notYet),
  log: route(entryOperations.log, notYet),
  source: route(entryOperations.source, notYet),
  withdraw: route(entryOperations.withdraw, notYet),
  choose: route(entryOperations.choose, notYet),
  disqualify: route(entryOperations.disqualify, notYet),
}
