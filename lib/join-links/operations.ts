import * as z from 'zod'
import { created, defineOperations, done, get, ok, post, remove } from '../contract/operations/operation'
import * as links from './contract'

/** Links with which people join a project. */
export const joinLinkOperations = defineOperations('joinLinks', 'access', {
  list: get('/api/projects/{id}/join-links', 'read', 'List the join links of a project', {
    responses: ok(z.array(links.joinLinkSchema)),
  }),
  create: post('/api/projects/{id}/join-links', 'submit', 'Create a link with which people join a project', {
    body: links.createJoinLinkSchema,
    responses: created(links.createdJoinLinkSchema),
  }),
  revoke: remove('/api/projects/{id}/join-links/{linkId}', 'submit', 'Revoke a join link', {
    responses: done,
  }),
  join: post('/api/join/{token}', 'submit', 'Join a project with a link', {
    body: links.joinSchema,
    bodyOptional: true,
    responses: ok(links.joinedProjectSchema),
  }),
  createAccount: post('/api/join/{token}/account', 'public', 'Create an account with a join link', {
    body: links.joinWithAccountSchema,
    responses: created(links.joinedProjectSchema),
  }),
})
