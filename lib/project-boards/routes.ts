import { route } from '../http/route'
import { downloadProjectBoard } from './download-board'
import { projectBoardOperations } from './operations'
import { readProjectBoard } from './read-board'
import { updateOwnRow, updateProjectBoard } from './update-board'

export const projectBoardRoutes = {
  get: route(projectBoardOperations.get, ({ actor, params }) => readProjectBoard(actor, params.id)),

  csv: route(projectBoardOperations.csv, ({ actor, params }) => downloadProjectBoard(actor, params.id)),

  update: route(projectBoardOperations.update, ({ actor, params, body }) =>
    updateProjectBoard(actor, params.id, body),
  ),

  updateOwn: route(projectBoardOperations.updateOwn, ({ actor, params, body }) =>
    updateOwnRow(actor, params.id, body),
  ),
}
