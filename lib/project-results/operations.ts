import * as z from 'zod'
import {
  created,
  defineOperations,
  done,
  file,
  get,
  ok,
  post,
  remove,
} from '../contract/operations/operation'
import * as results from './contract'

/** The results of a project, and links that show chosen ones without signing in. */
export const resultOperations = defineOperations('results', 'jobs', {
  list: get('/api/projects/{id}/results', 'read', 'The jobs of a project with the last values of metrics', {
    query: results.resultsQuerySchema,
    responses: ok(results.resultsSchema),
  }),
  shares: get('/api/result-shares', 'read', 'Your read-only links to results', {
    responses: ok(z.array(results.resultShareSchema)),
  }),
  share: post(
    '/api/projects/{id}/results/shares',
    'submit',
    'Create a read-only link to chosen jobs of yours, and chosen columns, that works without signing in',
    {
      body: results.createResultShareSchema,
      responses: created(results.createdResultShareSchema),
    },
  ),
  revokeShare: remove('/api/result-shares/{id}', 'submit', 'Revoke a read-only link to results', {
    responses: done,
  }),
  shared: get('/api/shared-results/{token}', 'public', 'The results that a read-only link shows', {
    responses: ok(results.sharedResultsSchema),
  }),
  sharedPicture: get(
    '/api/shared-results/{token}/jobs/{job}/pictures/{picture}',
    'public',
    'A picture of a job with a read-only link; job and picture are their numbers in the results',
    { responses: file('The picture') },
  ),
})
