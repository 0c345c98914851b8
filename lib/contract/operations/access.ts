import { z } from 'zod'
import {
  acceptInvitationSchema,
  auditEventSchema,
  changePasswordSchema,
  createdTokenSchema,
  createdUserSchema,
  createEnvironmentSchema,
  createProjectSchema,
  createTokenSchema,
  createUserSchema,
  environmentSchema,
  listAuditSchema,
  listProjectsSchema,
  listTokensSchema,
  listUsersSchema,
  projectSchema,
  tokenSchema,
  updateEnvironmentSchema,
  updateProjectSchema,
  updateUserSchema,
  userSchema,
} from '../access'
import { created, defineOperations, done, get, list, ok, patch, post, remove } from './operation'

export const userOperations = defineOperations('users', 'access', {
  list: get('/api/users', 'admin', 'List users', { query: listUsersSchema, responses: list(userSchema) }),
  create: post('/api/users', 'admin', 'Make a user', {
    body: createUserSchema,
    responses: created(createdUserSchema),
  }),
  get: get('/api/users/{handle}', 'read', 'One user', { responses: ok(userSchema) }),
  update: patch('/api/users/{handle}', 'admin', 'Change a user: role, limits, disable', {
    body: updateUserSchema,
    responses: ok(createdUserSchema),
  }),
  me: get('/api/users/me', 'read', 'The caller', { responses: ok(userSchema) }),
  changePassword: post('/api/users/me/password', 'submit', 'Change the own password', {
    body: changePasswordSchema,
    responses: done,
  }),
  acceptInvitation: post('/api/invitations', 'public', 'Accept an invitation by setting a password', {
    body: acceptInvitationSchema,
    responses: ok(z.object({ user_id: z.string() })),
  }),
})

export const tokenOperations = defineOperations('tokens', 'access', {
  list: get('/api/tokens', 'read', 'List tokens', { query: listTokensSchema, responses: list(tokenSchema) }),
  create: post('/api/tokens', 'submit', 'Issue a token; it is shown once', {
    body: createTokenSchema,
    responses: created(createdTokenSchema),
  }),
  revoke: remove('/api/tokens/{id}', 'submit', 'Revoke a token', { responses: done }),
})

export const projectOperations = defineOperations('projects', 'access', {
  list: get('/api/projects', 'read', 'List projects', {
    query: listProjectsSchema,
    responses: list(projectSchema),
  }),
  create: post('/api/projects', 'submit', 'Make a project', {
    body: createProjectSchema,
    responses: created(projectSchema),
  }),
  get: get('/api/projects/{id}', 'read', 'One project', { responses: ok(projectSchema) }),
  update: patch('/api/projects/{id}', 'submit', 'Change a project and its members', {
    body: updateProjectSchema,
    responses: ok(projectSchema),
  }),
  remove: remove('/api/projects/{id}', 'submit', 'Delete a project that has no jobs', { responses: done }),
})

export const environmentOperations = defineOperations('environments', 'access', {
  list: get('/api/environments', 'read', 'List environments', { responses: ok(z.array(environmentSchema)) }),
  create: post('/api/environments', 'admin', 'Add an environment', {
    body: createEnvironmentSchema,
    responses: created(environmentSchema),
  }),
  update: patch('/api/environments/{name}', 'admin', 'Change an environment', {
    body: updateEnvironmentSchema,
    responses: ok(environmentSchema),
  }),
})

export const auditOperations = defineOperations('audit', 'access', {
  list: get('/api/audit', 'admin', 'Who did what', {
    query: listAuditSchema,
    responses: list(auditEventSchema),
  }),
})
