import * as z from 'zod'
import { dryRunQuery, uploadParts } from '../contract/operations/jobs'
import { defineOperations, file, get, list, ok, patch, post } from '../contract/operations/operation'
import { queueOperations } from '../contract/operations/queue'
import { queueJobDetailSchema, queueSubmitSchema, queueSubmittedSchema } from '../contract/queue'
import { dryRunSchema } from '../contract/submission/dry-run'
import * as groups from './contract'
import { queueGroupSchema, queueGroupSubmitSchema } from './contract-queue'

/** Many jobs of one program in one request. */
export const groupOperations = defineOperations('groups', 'groups', {
  create: post(
    '/api/groups',
    'upload',
    'Submit a group of jobs: a sweep of parameters, an array, or a wave of configs',
    {
      restrictedTokens: true,
      query: z.object({ dry_run: dryRunQuery }),
      headers: { 'Idempotency-Key': 'makes a repeated submission the same group' },
      upload: uploadParts,
      json: groups.createGroupSchema,
      maxBodyBytes: 1024 * 1024,
      responses: {
        201: { description: 'The group is accepted; see Location', schema: groups.groupDetailSchema },
        200: {
          description:
            'The group of an earlier request with the same key; with dry_run, what a submission would do',
          schema: z.union([groups.groupDetailSchema, groups.groupDryRunSchema]),
        },
      },
    },
  ),
  list: get('/api/groups', 'read', 'List groups of jobs, newest first', {
    restrictedTokens: true,
    query: groups.groupListQuerySchema,
    responses: list(groups.groupSchema),
  }),
  get: get('/api/groups/{id}', 'read', 'A group of jobs, its counts and its best member', {
    restrictedTokens: true,
    responses: ok(groups.groupDetailSchema),
  }),
  update: patch('/api/groups/{id}', 'submit', 'Change the note of a group', {
    body: groups.updateGroupSchema,
    responses: ok(groups.groupDetailSchema),
  }),
  members: get('/api/groups/{id}/members', 'read', 'List the members of a group, in their order', {
    restrictedTokens: true,
    query: groups.memberListQuerySchema,
    responses: list(groups.groupMemberSchema),
  }),
  files: get(
    '/api/groups/{id}/files.tar',
    'read',
    'Download the result files and artifacts of all members of a group',
    {
      restrictedTokens: true,
      responses: file(
        'A tar archive with group.json, members.csv and a directory for each member that has files',
      ),
    },
  ),
  ofJob: get('/api/jobs/{id}/group', 'read', 'The group of a job, and its place among the members', {
    restrictedTokens: true,
    responses: ok(groups.groupOfJobSchema),
  }),
  wait: get(
    '/api/groups/{id}/wait',
    'read',
    'Wait until all members of a group have ended, or the next one',
    {
      restrictedTokens: true,
      query: groups.waitQuerySchema,
      responses: ok(groups.groupDetailSchema),
    },
  ),
  cancel: post('/api/groups/{id}/cancel', 'submit', 'Cancel a group: what waits, runs, or is held', {
    restrictedTokens: true,
    responses: ok(groups.groupDetailSchema),
  }),
  rerunFailed: post('/api/groups/{id}/rerun-failed', 'submit', 'Run the failed members of a group again', {
    restrictedTokens: true,
    responses: ok(groups.groupDetailSchema),
  }),
  extend: post('/api/groups/{id}/extend', 'submit', 'Add members to a group: more samples or more repeats', {
    restrictedTokens: true,
    body: groups.extendGroupSchema,
    responses: ok(groups.groupDetailSchema),
  }),
})

const jobOrGroup = z.union([queueGroupSchema, queueJobDetailSchema])

/** The operations of the queue API that take groups too. */
export const groupQueueOperations = {
  submit: {
    ...queueOperations.submit,
    summary:
      'Submit a command as a job, or with matrix, array or members as a group of jobs, without waiting for it',
    body: z.union([queueSubmitSchema, queueGroupSubmitSchema]),
    // A wave lists its members.
    maxBodyBytes: groupOperations.create.maxBodyBytes,
    responses: {
      200: {
        description: 'An older job or group: same key or content; with dry_run, what a submission would do',
        schema: z.union([queueGroupSchema, groups.groupDryRunSchema, queueSubmittedSchema, dryRunSchema]),
      },
      201: {
        description: 'The job or group is accepted; see Location',
        schema: z.union([queueGroupSchema, queueSubmittedSchema]),
      },
    },
  },
  get: {
    ...queueOperations.get,
    summary: 'A job or group with its position and expected start',
    responses: ok(jobOrGroup),
  },
  cancel: { ...queueOperations.cancel, summary: 'Cancel a job or group', responses: ok(jobOrGroup) },
}
