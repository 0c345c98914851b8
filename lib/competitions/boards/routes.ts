import { route } from '../../http/route'
import { boardOperations } from '../operations'
import { downloadBoard, readBoard, revealBoard } from './boards'

export const boardRoutes = {
  get: route(boardOperations.get, ({ actor, params, query }) =>
    readBoard(actor, params.id, params.phase, query),
  ),

  csv: route(boardOperations.csv, ({ actor, params }) => downloadBoard(actor, params.id, params.phase)),

  reveal: route(boardOperations.reveal, ({ actor, params }) => revealBoard(actor, params.id, params.phase)),
}
