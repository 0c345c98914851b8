import * as z from 'zod'
import { defineOperations, done, get, ok, post } from '../contract/operations/operation'
import { approvalSchema, listApprovalsSchema, stoppedTokenSchema } from './contract'

/** A person decides about the jobs of agents. No agent may call these, and no tool for agents does. */
export const approvalOperations = defineOperations('approvals', 'access', {
  list: get('/api/approvals', 'read', 'List the jobs and groups of agents that wait for an approval', {
    query: listApprovalsSchema,
    responses: ok(z.array(approvalSchema)),
  }),
  approve: post('/api/approvals/{id}/approve', 'submit', 'Let a job or a group of an agent start', {
    responses: done,
  }),
  refuse: post('/api/approvals/{id}/refuse', 'submit', 'Refuse a job or a group of an agent', {
    responses: done,
  }),
})

export const tokenStopOperations = defineOperations('tokens', 'access', {
  stop: post('/api/tokens/{id}/stop', 'submit', 'Revoke a token and cancel its jobs and groups', {
    responses: ok(stoppedTokenSchema),
  }),
})
