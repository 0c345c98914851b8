import { defineOperations, done, remove } from '../contract/operations/operation'

export const checkpointOperations = defineOperations('storage', 'storage', {
  deleteCheckpoints: remove(
    '/api/projects/{id}/runs/{run}/checkpoints',
    'submit',
    'Delete the checkpoints of a run of the caller, by its id or name; those on a shared disk are deleted within minutes',
    { responses: { ...done, 409: { description: 'A job of the run has not ended' } } },
  ),
})
