import { defineOperations, file, get, ok, put } from '../contract/operations/operation'
import * as boards from './contract'

/** The members of a project, by a metric of their jobs. */
export const projectBoardOperations = defineOperations('projectBoards', 'access', {
  get: get(
    '/api/projects/{id}/leaderboard',
    'read',
    'The members of a project by the best value of a metric that their jobs report',
    { responses: ok(boards.projectBoardSchema) },
  ),
  csv: get('/api/projects/{id}/leaderboard.csv', 'read', 'The same as CSV', {
    responses: file('rank, member, the metric, jobs, best_at'),
  }),
  update: put(
    '/api/projects/{id}/leaderboard',
    'submit',
    'Choose the metric of the board of a project, or remove the board; for its owner',
    { body: boards.updateProjectBoardSchema, responses: ok(boards.projectBoardSchema) },
  ),
  updateOwn: put(
    '/api/projects/{id}/leaderboard/own',
    'submit',
    'Choose the own name on the board of a project, or stay off it',
    { body: boards.updateOwnRowSchema, responses: ok(boards.projectBoardSchema) },
  ),
})
