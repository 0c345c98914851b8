import { unavailable } from '../../contract/errors'
import { route } from '../../http/route'
import { boardOperations } from '../operations'

const notYet = () => {
  throw unavailable('This does not exist yet.', 60)
}

export const boardRoutes = {
  get: route(boardOperations.get, notYet),
  csv: route(boardOperations.csv, notYet),
  reveal: route(boardOperations.reveal, notYet),
}
