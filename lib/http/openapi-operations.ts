import { z } from 'zod'
import {
  auditEventSchema,
  createdTokenSchema,
  createdUserSchema,
  createEnvironmentSchema,
  createProjectSchema,
  createTokenSchema,
  createUserSchema,
  environmentSchema,
  projectSchema,
  tokenSchema,
  updateEnvironmentSchema,
  updateProjectSchema,
  updateUserSchema,
  userSchema,
} from '../access/schemas'
import {
  jobDetailSchema,
  jobFiltersSchema,
  jobQuerySchema,
  jobResultSchema,
  jobSourceSchema,
  jobSummarySchema,
  resultQuerySchema,
} from '../jobs/schemas'

export interface Operation {
  method: 'get' | 'post' | 'patch' | 'delete'
  path: string
  tag: string
  summary: string
  access: 'public' | 'submit' | 'read' | 'admin'
  query?: z.ZodType
  headers?: { name: string; description: string }[]
  body?: z.ZodType
  upload?: Record<string, unknown>
  answers: Record<string, { description: string; schema?: z.ZodType }>
}

const uploadParts = {
  type: 'object',
  required: ['code', 'config_file'],
  properties: {
    code: {
      type: 'string',
      contentMediaType: 'text/x-python',
      description: 'solution.py, UTF-8, at most 1 MiB',
    },
    config_file: { type: 'string', contentMediaType: 'application/yaml', description: 'config.yaml' },
  },
}

const submitQuery = z.object({
  wait: z.string().optional().describe('"false": answer at once; a number: wait that many seconds'),
})
const list = (schema: z.ZodType) => ({
  200: { description: 'A bare array; the next page is in the Link header', schema: z.array(schema) },
})
const ok = (schema: z.ZodType) => ({ 200: { description: 'Done', schema } })
const created = (schema: z.ZodType) => ({ 201: { description: 'Made', schema } })

/** Every route of the API, as its document tells of them. */
export const openapiOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/api/submit',
    tag: 'jobs',
    summary: 'Submit a job, and wait for its result',
    access: 'submit',
    query: submitQuery,
    headers: [
      { name: 'Idempotency-Key', description: 'makes a repeated submission the same job' },
      { name: 'Prefer', description: '"respond-async": answer at once' },
    ],
    upload: uploadParts,
    answers: {
      200: { description: 'The job ended', schema: jobResultSchema },
      202: { description: 'The job was accepted and has not ended; see Location', schema: jobResultSchema },
    },
  },
  {
    method: 'get',
    path: '/api/jobs',
    tag: 'jobs',
    summary: 'List jobs, newest first',
    access: 'read',
    query: jobFiltersSchema,
    answers: list(jobSummarySchema),
  },
  {
    method: 'get',
    path: '/api/status/{id}',
    tag: 'jobs',
    summary: 'Where a job is, and why',
    access: 'read',
    query: jobQuerySchema,
    answers: ok(jobDetailSchema),
  },
  {
    method: 'get',
    path: '/api/results/{id}',
    tag: 'jobs',
    summary: 'What a job printed',
    access: 'read',
    query: resultQuerySchema,
    answers: ok(jobResultSchema),
  },
  {
    method: 'post',
    path: '/api/cancel/{id}',
    tag: 'jobs',
    summary: 'Cancel a job',
    access: 'submit',
    query: jobQuerySchema,
    answers: ok(jobDetailSchema),
  },
  {
    method: 'get',
    path: '/api/jobs/{id}/source',
    tag: 'jobs',
    summary: 'What was submitted, without the token',
    access: 'read',
    answers: ok(jobSourceSchema),
  },
  {
    method: 'get',
    path: '/api/jobs/{id}/events',
    tag: 'jobs',
    summary: 'A job live, as server-sent events: job, output, reset, end',
    access: 'read',
    headers: [{ name: 'Last-Event-ID', description: 'go on after this event' }],
    answers: { 200: { description: 'text/event-stream' } },
  },
  {
    method: 'get',
    path: '/api/users',
    tag: 'access',
    summary: 'List users',
    access: 'admin',
    answers: list(userSchema),
  },
  {
    method: 'post',
    path: '/api/users',
    tag: 'access',
    summary: 'Make a user',
    access: 'admin',
    body: createUserSchema,
    answers: created(createdUserSchema),
  },
  {
    method: 'get',
    path: '/api/users/{handle}',
    tag: 'access',
    summary: 'One user; "me" is the caller',
    access: 'read',
    answers: ok(userSchema),
  },
  {
    method: 'patch',
    path: '/api/users/{handle}',
    tag: 'access',
    summary: 'Change a user: role, limits, disable',
    access: 'admin',
    body: updateUserSchema,
    answers: ok(createdUserSchema),
  },
  {
    method: 'get',
    path: '/api/tokens',
    tag: 'access',
    summary: 'List tokens',
    access: 'read',
    answers: list(tokenSchema),
  },
  {
    method: 'post',
    path: '/api/tokens',
    tag: 'access',
    summary: 'Issue a token; it is shown once',
    access: 'submit',
    body: createTokenSchema,
    answers: created(createdTokenSchema),
  },
  {
    method: 'delete',
    path: '/api/tokens/{id}',
    tag: 'access',
    summary: 'Revoke a token',
    access: 'submit',
    answers: { 204: { description: 'Revoked' } },
  },
  {
    method: 'get',
    path: '/api/projects',
    tag: 'access',
    summary: 'List projects',
    access: 'read',
    answers: list(projectSchema),
  },
  {
    method: 'post',
    path: '/api/projects',
    tag: 'access',
    summary: 'Make a project',
    access: 'submit',
    body: createProjectSchema,
    answers: created(projectSchema),
  },
  {
    method: 'patch',
    path: '/api/projects/{id}',
    tag: 'access',
    summary: 'Change a project and its members',
    access: 'submit',
    body: updateProjectSchema,
    answers: ok(projectSchema),
  },
  {
    method: 'get',
    path: '/api/environments',
    tag: 'access',
    summary: 'List environments',
    access: 'read',
    answers: list(environmentSchema),
  },
  {
    method: 'post',
    path: '/api/environments',
    tag: 'access',
    summary: 'Add an environment',
    access: 'admin',
    body: createEnvironmentSchema,
    answers: created(environmentSchema),
  },
  {
    method: 'patch',
    path: '/api/environments/{name}',
    tag: 'access',
    summary: 'Change an environment',
    access: 'admin',
    body: updateEnvironmentSchema,
    answers: ok(environmentSchema),
  },
  {
    method: 'get',
    path: '/api/audit',
    tag: 'access',
    summary: 'Who did what',
    access: 'admin',
    answers: list(auditEventSchema),
  },
  {
    method: 'get',
    path: '/metrics',
    tag: 'operations',
    summary: 'Figures for Prometheus',
    access: 'admin',
    answers: { 200: { description: 'text/plain' } },
  },
  {
    method: 'get',
    path: '/healthz',
    tag: 'operations',
    summary: 'The web server is alive',
    access: 'public',
    answers: { 200: { description: 'Alive' } },
  },
  {
    method: 'get',
    path: '/readyz',
    tag: 'operations',
    summary: 'The web server can serve',
    access: 'public',
    answers: { 200: { description: 'Ready' } },
  },
]
