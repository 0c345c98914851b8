import { defineOperations, file, get, ok } from '../contract/operations/operation'
import * as participants from './contract'

/** The members of a class, with the jobs that they show. */
export const participantOperations = defineOperations('participants', 'access', {
  list: get(
    '/api/projects/{id}/participants',
    'read',
    'The members of a class with their jobs; for its owner, its managers and admins',
    {
      query: participants.participantsQuerySchema,
      responses: ok(participants.participantsSchema),
    },
  ),
  csv: get('/api/projects/{id}/participants.csv', 'read', 'The same as CSV', {
    query: participants.participantsQuerySchema,
    responses: file('CSV'),
  }),
})
