import { defineOperations, get, list, ok } from '../contract/operations/operation'
import * as experiments from './contract'

/** Jobs and groups that follow each other. */
export const experimentOperations = defineOperations('experiments', 'experiments', {
  list: get(
    '/api/experiments',
    'read',
    'List experiments: jobs and groups that follow others, newest first',
    {
      restrictedTokens: true,
      query: experiments.experimentListQuerySchema,
      responses: list(experiments.experimentSchema),
    },
  ),
  get: get('/api/experiments/{id}', 'read', 'What a job or a group follows, and what follows it', {
    restrictedTokens: true,
    responses: ok(experiments.experimentPlaceSchema),
  }),
})
